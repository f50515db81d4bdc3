/** The `package.json` of a new project. */
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";

/** Names that npm, or this package, gives a meaning of its own. */
const taken = new Set(["realmc", "realmc-server", "node_modules", "favicon.ico"]);

/** A name that npm takes for a package, as near to a folder's as can be. */
export function packageName(folder: string): string {
  const name = folder
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "")
    .slice(0, 200)
    .replace(/[._-]+$/, "");
  if (name === "") return "app";
  return taken.has(name) ? `${name}-app` : name;
}

export function newPackage(template: JsonObject, name: string, version: string): JsonObject {
  return { name, ...template, devDependencies: sorted({ ...tools(template), realmc: `^${version}` }) };
}

/**
 * The settings of a package that has realmc installed, with what they lack: nothing that is said there changes. One
 * without a name is what `npm install` makes in an empty folder; it gets everything that a new one has.
 */
export function completedPackage(template: JsonObject, present: JsonObject, name: string): JsonObject {
  const isNew = present["name"] === undefined;
  const { scripts, devDependencies, ...identity } = template;
  const installed = { ...section(present, "dependencies"), ...section(present, "devDependencies") };
  const missing = Object.entries(tools({ devDependencies })).filter(([tool]) => !(tool in installed));
  return {
    ...(isNew ? { name, ...identity, scripts } : {}),
    ...present,
    scripts: { ...section({ scripts }, "scripts"), ...section(present, "scripts") },
    devDependencies: sorted({ ...section(present, "devDependencies"), ...Object.fromEntries(missing) }),
  };
}

/** Whether a package has realmc installed. */
export function usesRealmc(present: JsonObject): boolean {
  return ["dependencies", "devDependencies"].some((name) => "realmc" in section(present, name));
}

function tools(settings: JsonObject): JsonObject {
  return section(settings, "devDependencies");
}

function section(settings: JsonObject, name: string): JsonObject {
  const value = settings[name];
  return isJsonObject(value) ? value : {};
}

/** In the order in which npm writes dependencies. */
function sorted(dependencies: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(dependencies).sort(([a], [b]) => (a < b ? -1 : 1)));
}
