/**
 * `realmc/register`, for `node --import`: Node then runs TypeScript, which none does before 22.18 by itself, and each from
 * there on leaves out what needs more than its types taken away.
 */
import { register } from "node:module";

// What is thrown names the lines of the sources.
process.setSourceMapsEnabled(true);
register("./hooks.js", import.meta.url);
