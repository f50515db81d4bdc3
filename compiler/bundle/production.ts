/** What npm reads of a bundle: which packages it installs beside the server. */
import type { EmittedFile } from "../../templates/print/code.ts";
import { jsonText } from "../../templates/print/format.ts";
import { bundleName } from "../package/package.ts";
import { lockedFor, lockedVersion } from "./lock.ts";
import locked from "./locked.json" with { type: "json" };

/** `package.json` and `package-lock.json` for a server that needs these packages: `npm ci` installs the same everywhere. */
export function productionFiles(names: readonly string[]): readonly EmittedFile[] {
  const dependencies = Object.fromEntries(names.map((name) => [name, lockedVersion(locked, name)]));
  const engines = { node: ">=20.19" };
  const settings = {
    name: bundleName,
    private: true,
    type: "module",
    scripts: { start: "node server.mjs" },
    engines,
    dependencies,
  };
  const lock = {
    name: bundleName,
    lockfileVersion: 3,
    requires: true,
    packages: { "": { name: bundleName, dependencies, engines }, ...lockedFor(locked, names) },
  };
  return [
    { path: "package.json", text: jsonText(settings) },
    // As npm prints it, which then finds nothing to change.
    { path: "package-lock.json", text: `${JSON.stringify(lock, undefined, 2)}\n` },
  ];
}
