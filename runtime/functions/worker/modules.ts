/** The modules of Node that a handler can reach, and the way to them. */
import { createRequire } from "node:module";
import { type Require, requirable } from "../handler-module.ts";

/** Members of them that load code of the machine, change the process, or show its memory. */
const removed: readonly (readonly [module: string, member: string])[] = [
  ["buffer", "SlowBuffer"],
  ["crypto", "setEngine"],
  ["crypto", "setFips"],
];

/** Loads them all, before anything of a handler has run, and returns the one way to them. */
export function handlerRequire(): Require {
  const load = createRequire(import.meta.url);
  const modules = new Map<string, unknown>();
  for (const name of requirable) modules.set(name, load(`node:${name}`));
  for (const [name, member] of removed) {
    const module = modules.get(name);
    if (typeof module === "object" && module !== null) Reflect.deleteProperty(module, member);
  }
  return (specifier) => {
    const name = typeof specifier === "string" ? specifier.replace(/^node:/, "") : "";
    if (!modules.has(name)) throw notThere(specifier);
    return modules.get(name);
  };
}

/** As Node says it, so that packages which can do without a module do. */
function notThere(specifier: unknown): Error {
  const named = typeof specifier === "string" ? `'${specifier}'` : "what is no text";
  const error = new Error(`Cannot find module ${named}: handlers have ${[...requirable].join(", ")}`);
  return Object.assign(error, { code: "MODULE_NOT_FOUND" });
}
