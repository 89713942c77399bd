/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * llvm.h - the C interface of the LLVM library that a clang is linked with
 *
 * Found when it is needed, and declared here: so heddle is built without LLVM, and bitcode is read by who wrote it.
 * These functions and numbers are the same from LLVM 14 to 20; what they do stands in llvm-c/Core.h.
 */
#ifndef HEDDLE_INSTRUMENT_LLVM_H
#define HEDDLE_INSTRUMENT_LLVM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct llvm_context *llvm_context;
typedef struct llvm_buffer *llvm_buffer;
typedef struct llvm_module *llvm_module;
typedef struct llvm_block *llvm_block;
typedef struct llvm_value *llvm_value;
typedef struct llvm_use *llvm_use;
typedef struct llvm_type *llvm_type;
typedef struct llvm_builder *llvm_builder;

/* LLVMOpcode */
enum llvm_opcode {
	LLVM_CALL = 45,
	LLVM_ALLOCA = 26,
	LLVM_LOAD = 27,
	LLVM_STORE = 28,
	LLVM_GEP = 29,
	LLVM_BIT_CAST = 41,
	LLVM_CMPXCHG = 56,
	LLVM_CALL_BRANCH = 67, /* asm goto */
	LLVM_RMW = 57,
};

/* Result, name without LLVM, arguments. */
#define LLVM_FUNCTIONS(F)                                                                    \
	F(llvm_context, ContextCreate, (void))                                               \
	F(int, CreateMemoryBufferWithContentsOfFile, (const char *, llvm_buffer *, char **)) \
	F(int, ParseBitcodeInContext2, (llvm_context, llvm_buffer, llvm_module *))           \
	F(int, WriteBitcodeToFile, (llvm_module, const char *))                              \
	F(llvm_value, GetNamedFunction, (llvm_module, const char *))                         \
	F(llvm_value, GetFirstFunction, (llvm_module))                                       \
	F(llvm_value, GetNextFunction, (llvm_value))                                         \
	F(llvm_block, GetFirstBasicBlock, (llvm_value))                                      \
	F(llvm_block, GetNextBasicBlock, (llvm_block))                                       \
	F(llvm_value, GetFirstInstruction, (llvm_block))                                     \
	F(llvm_value, GetNextInstruction, (llvm_value))                                      \
	F(int, GetInstructionOpcode, (llvm_value))                                           \
	F(llvm_use, GetFirstUse, (llvm_value))                                               \
	F(llvm_use, GetNextUse, (llvm_use))                                                  \
	F(llvm_value, GetUser, (llvm_use))                                                   \
	F(int, GetNumOperands, (llvm_value))                                                 \
	F(llvm_value, GetOperand, (llvm_value, unsigned))                                    \
	F(void, SetOperand, (llvm_value, unsigned, llvm_value))                              \
	F(llvm_value, IsAInstruction, (llvm_value))                                          \
	F(llvm_value, IsAFunction, (llvm_value))                                             \
	F(llvm_value, IsAInlineAsm, (llvm_value))                                            \
	F(llvm_value, GetCalledValue, (llvm_value))                                          \
	F(const char *, GetValueName2, (llvm_value, size_t *))                               \
	F(llvm_type, TypeOf, (llvm_value))                                                   \
	F(llvm_type, FunctionType, (llvm_type, llvm_type *, unsigned, int))                  \
	F(llvm_value, GetInlineAsm,                                                          \
	  (llvm_type, const char *, size_t, const char *, size_t, int, int, int, int))       \
	F(llvm_builder, CreateBuilderInContext, (llvm_context))                              \
	F(void, PositionBuilderBefore, (llvm_builder, llvm_value))                           \
	F(llvm_value, BuildCall2,                                                            \
	  (llvm_builder, llvm_type, llvm_value, llvm_value *, unsigned, const char *))

struct llvm {
#define LLVM_MEMBER(result, name, arguments) result(*name) arguments;
	LLVM_FUNCTIONS(LLVM_MEMBER)
#undef LLVM_MEMBER
};

/*
 * Loads the library that the program clang (a path) is linked with, for as long as this process lives. False when there
 * is none (clang may have LLVM in itself), it cannot be loaded, or lacks one of the functions.
 */
bool llvm_load(struct llvm *llvm, const char *clang);

#endif
