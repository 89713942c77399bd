/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * locals.c - accesses to local variables that others know of
 *
 * An access to a local variable has to be announced as soon as the variable's address is known elsewhere. Up to clang
 * 16 at least, the pass asks that of the address which is accessed, not of the variable: in
 *
 *	struct pair p;
 *	pthread_create(&t, NULL, f, &p);
 *	p.b = 5;
 *
 * nobody gets to know &p.b as such, so the store is taken for a private one, and a race with f for none. So here, where
 * the address of a variable gets out, all accesses go through a copy of it that a piece of assembly without instructions
 * makes: of where that points to the pass knows nothing, nor does a simplification between here and there see through it.
 * What the optimiser loses later is nothing: the variable has to be in memory anyway.
 *
 * "Gets out" is taken widely: all but to be read, written to, or have a part's address made of it that does not get out.
 */
#include "config.h"

#include "locals.h"

#include "jobs.h"
#include "llvm.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	ORIGIN = 0, /* operands: of what is read, changed atomically or made an address of */
	STORED = 0,
};

/* A call that leaves its arguments' addresses where they are. */
static bool is_harmless_call(const struct llvm *llvm, llvm_value call)
{
	static const char *const harmless[] = { "llvm.lifetime.", "llvm.memcpy.", "llvm.memmove.",
						"llvm.memset." };
	llvm_value called = llvm->GetCalledValue(call);
	const char *name;
	size_t size;

	if (!llvm->IsAFunction(called))
		return false;
	name = llvm->GetValueName2(called, &size);
	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if (!strncmp(name, harmless[i], strlen(harmless[i])))
			return true;
	return false;
}

static bool is_lifetime(const struct llvm *llvm, llvm_value user)
{
	size_t size;

	return llvm->GetInstructionOpcode(user) == LLVM_CALL &&
	       llvm->IsAFunction(llvm->GetCalledValue(user)) &&
	       !strncmp(llvm->GetValueName2(llvm->GetCalledValue(user), &size), "llvm.lifetime.",
			strlen("llvm.lifetime."));
}

/* Does more of an address get out of the function than what stands there? */
static bool gets_out(const struct llvm *llvm, llvm_value address)
{
	for (llvm_use use = llvm->GetFirstUse(address); use; use = llvm->GetNextUse(use)) {
		llvm_value user = llvm->GetUser(use);

		switch (llvm->GetInstructionOpcode(user)) {
		case LLVM_LOAD:
			break;
		case LLVM_STORE:
			if (llvm->GetOperand(user, STORED) == address)
				return true;
			break;
		case LLVM_CMPXCHG:
		case LLVM_RMW:
			if (llvm->GetOperand(user, ORIGIN + 1) == address ||
			    llvm->GetOperand(user, (unsigned)llvm->GetNumOperands(user) - 1) ==
				    address)
				return true;
			break;
		case LLVM_GEP:
		case LLVM_BIT_CAST:
			if (gets_out(llvm, user))
				return true;
			break;
		case LLVM_CALL:
			if (!is_harmless_call(llvm, user))
				return true;
			break;
		default:
			return true;
		}
	}
	return false;
}

/* Of the address itself, or of one made of it, only to say how long the variable lives. */
static bool only_says_how_long(const struct llvm *llvm, llvm_value user)
{
	if (is_lifetime(llvm, user))
		return true;
	if (llvm->GetInstructionOpcode(user) != LLVM_BIT_CAST)
		return false;
	for (llvm_use use = llvm->GetFirstUse(user); use; use = llvm->GetNextUse(use))
		if (!is_lifetime(llvm, llvm->GetUser(use)))
			return false;
	return true;
}

static void replace(const struct llvm *llvm, llvm_value user, llvm_value old, llvm_value new)
{
	int operands = llvm->GetNumOperands(user);

	for (int i = 0; i < operands; i++)
		if (llvm->GetOperand(user, (unsigned)i) == old)
			llvm->SetOperand(user, (unsigned)i, new);
}

/* The next use that is not the copy's, nor says only how long the variable lives; NULL behind the last. */
static llvm_use next_use(const struct llvm *llvm, llvm_use use, llvm_value copy)
{
	while (use && (llvm->GetUser(use) == copy || only_says_how_long(llvm, llvm->GetUser(use))))
		use = llvm->GetNextUse(use);
	return use;
}

/* "=r,0": the result is in the register that the operand is in. */
static void show(const struct llvm *llvm, llvm_builder builder, llvm_value local)
{
	llvm_type type = llvm->TypeOf(local);
	llvm_type same = llvm->FunctionType(type, &type, 1, 0);
	llvm_value assembly = llvm->GetInlineAsm(same, "", 0, "=r,0", strlen("=r,0"), 0, 0, 0, 0);
	llvm_value copy;
	llvm_use use;

	llvm->PositionBuilderBefore(builder, llvm->GetNextInstruction(local));
	copy = llvm->BuildCall2(builder, same, assembly, &local, 1, "");
	/* Whose operand is replaced is out of the list. */
	while ((use = next_use(llvm, llvm->GetFirstUse(local), copy)))
		replace(llvm, llvm->GetUser(use), local, copy);
}

static void show_all(const struct llvm *llvm, llvm_builder builder, llvm_value function)
{
	for (llvm_block b = llvm->GetFirstBasicBlock(function); b; b = llvm->GetNextBasicBlock(b))
		for (llvm_value v = llvm->GetFirstInstruction(b); v;
		     v = llvm->GetNextInstruction(v))
			if (llvm->GetInstructionOpcode(v) == LLVM_ALLOCA && gets_out(llvm, v))
				show(llvm, builder, v);
}

static bool is_assembly(const struct llvm *llvm, llvm_value v)
{
	switch (llvm->GetInstructionOpcode(v)) {
	case LLVM_CALL:
		return llvm->IsAInlineAsm(llvm->GetCalledValue(v));
	case LLVM_CALL_BRANCH:
		return true;
	default:
		return false;
	}
}

static bool has_assembly(const struct llvm *llvm, llvm_value function)
{
	for (llvm_block b = llvm->GetFirstBasicBlock(function); b; b = llvm->GetNextBasicBlock(b))
		for (llvm_value v = llvm->GetFirstInstruction(b); v;
		     v = llvm->GetNextInstruction(v))
			if (is_assembly(llvm, v))
				return true;
	return false;
}

/* What the process says that rewrites. */
enum {
	SHOWN,
	FAILED,
	SHOWN_BESIDE_ASSEMBLY
};

/* Where a coroutine goes on, a copy made before it was suspended is of a frame that has gone: not done for these. */
static int rewrite(const char *clang, const char *bitcode, const char *output)
{
	struct llvm llvm;
	llvm_context context;
	llvm_buffer buffer;
	llvm_module module;
	llvm_builder builder;
	bool assembly = false;
	char *error;

	if (!llvm_load(&llvm, clang))
		return FAILED;
	context = llvm.ContextCreate();
	if (llvm.CreateMemoryBufferWithContentsOfFile(bitcode, &buffer, &error) ||
	    llvm.ParseBitcodeInContext2(context, buffer, &module) ||
	    llvm.GetNamedFunction(module, "llvm.coro.begin"))
		return FAILED;
	builder = llvm.CreateBuilderInContext(context);
	for (llvm_value f = llvm.GetFirstFunction(module); f; f = llvm.GetNextFunction(f)) {
		assembly = assembly || has_assembly(&llvm, f);
		show_all(&llvm, builder, f);
	}
	if (llvm.WriteBitcodeToFile(module, output))
		return FAILED;
	return assembly ? SHOWN_BESIDE_ASSEMBLY : SHOWN;
}

/* In a process of its own: the library may end it, and has much to tidy up. */
bool locals_show(const char *clang, const char *bitcode, const char *output, bool *assembly)
{
	int said;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(rewrite(clang, bitcode, output));
	said = pid > 0 ? job_wait(pid) : FAILED;
	*assembly = said != SHOWN;
	return said == SHOWN || said == SHOWN_BESIDE_ASSEMBLY;
}
