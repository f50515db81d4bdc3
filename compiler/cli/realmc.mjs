#!/usr/bin/env node
// Runs the TypeScript of this package as it is.
import { register } from "tsx/esm/api";

register();
const { main } = await import("./main.ts");
process.exitCode = await main(process.argv.slice(2));
