/**
 * The form of a bundled handler: a script whose value is one function. The thread calls it with the only way to modules that
 * there is, so that the form of the text decides nothing: no `import` of Node's own loader can be in it.
 */
import { builtinModules } from "node:module";

/** Modules of Node that handlers, and packages that they import, may have. Parts such as `stream/promises` go with the whole. */
export const handlerModules: readonly string[] = [
  ...["assert", "buffer", "crypto", "events", "path", "querystring", "stream", "string_decoder"],
  ...["url", "util", "zlib"],
];

/** All that may be required, by its name without `node:`. */
export const requirable: ReadonlySet<string> = new Set(
  builtinModules.filter((name) => handlerModules.includes(name.split("/")[0] ?? name)),
);

/** Returns the module of that name, or throws. */
export type Require = (specifier: unknown) => unknown;

/** What the value of a bundle is: it resolves once the modules in it have run. */
export type HandlerModule = (require: Require, exported: (handler: unknown) => void) => Promise<void>;

/** The name by which a bundle hands out the default export of its handler. */
export const exportedBy = "__realmc_export";

export const moduleHead = `(async (require, ${exportedBy}) => {"use strict";`;
export const moduleFoot = "})";
