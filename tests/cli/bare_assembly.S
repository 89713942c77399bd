/* SPDX-License-Identifier: BSD-2-Clause */
/* bare_assembly.S - a function without entries for the unwinder that writes to what it is given, and the ways to it (bare_assembly.c) */
	.text
#if defined(NAMED)
	.globl	put
	.type	put, @function
put:
	mov	%esi, (%rdi)
	ret
	.size	put, . - put
#elif defined(UNTYPED)
	.globl	put
put:
	mov	%esi, (%rdi)
	ret
#elif defined(GOES_ON)
	.globl	put
	.type	put, @function
put:
	.cfi_startproc
	mov	%rdi, %rax
	.cfi_endproc
	mov	%esi, (%rax)
	ret
	.size	put, . - put
#else
	.globl	put_it
	.hidden	put_it
	.type	put_it, @function
	.p2align 4
put_it:
	mov	%esi, (%rdi)
	ret
	.size	put_it, . - put_it
#endif
#if defined(JUMPED)
	.globl	put
	.type	put, @function
put:
	.cfi_startproc
	jmp	put_it
	.cfi_endproc
	.size	put, . - put
#elif defined(PADDED)
	.globl	put
	.type	put, @function
put:
	.cfi_startproc
	lea	padding(%rip), %rax
	lea	padding+1(%rip), %rax
	ret
	.cfi_endproc
	.size	put, . - put
padding:
	nopl	0(%rax)
	.p2align 5
	.type	next, @function
next:
	.cfi_startproc
	ret
	.cfi_endproc
#elif defined(HANDED)
	.globl	put
	.type	put, @function
put:
	.cfi_startproc
	mov	other@GOTPCREL(%rip), %rax
	ret
	.cfi_endproc
	.size	put, . - put
	.globl	other
	.type	other, @function
other:
	mov	%esi, (%rdi)
	ret
	.size	other, . - other
#elif defined(BRANCHED)
	.globl	put
	.type	put, @function
put:
	.cfi_startproc
	test	%rdi, %rdi
	jne	put_it
	ret
	.cfi_endproc
	.size	put, . - put
#endif
	.section .note.GNU-stack, "", @progbits
