import { join } from "node:path";
import { root } from "./workspace.ts";

/** The command line's entry. In a file of its own: whoever imports it runs the compiler. */
export const realmc = join(root, "compiler/cli/realmc.mjs");
