# SPDX-License-Identifier: BSD-2-Clause
"""Random programs of up to three threads each, several in one binary: which one runs is an argument."""
import os
import subprocess


def compiled(args, head, programs, folder, descriptor, *options, columns=3, **how):
    """The path of the binary. head: the C text before the threads, with run(); outcomes are written to the descriptor. options: of heddle-cc, and part of the name.
    columns: how many functions run() is given. how: of subprocess.run()."""
    binary = os.path.join(folder, f"from{programs[0].seed}{''.join(options)}")
    with open(binary + ".c", "w", encoding="utf-8") as f:
        f.write(head.replace("DESCRIPTOR", str(descriptor)) + "".join("".join(p.threads) for p in programs))
        f.write(f"static void *(*const all[][{columns}])(void *) = {{\n")
        f.write("".join(f"\t{{ {', '.join(p.name(i) for i in range(columns))} }},\n" for p in programs))
        f.write("};\nint main(int argc, char **argv)\n{\n\tif (argc > 1)\n\t\trun(all[atoi(argv[1])]);\n\treturn 0;\n}\n")
    subprocess.run([args.bindir + "/heddle-cc", f"-O{args.level}", "-g", "-w", *options, "-o", binary, binary + ".c", "-pthread"], check=True, **how)
    return binary
