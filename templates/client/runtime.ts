/** What is the same in the client of every realm: modules of `runtime/client`, joined. */
import type { Realm } from "../../compiler/model/model.ts";
import { modulesOf } from "./contracted/parts.ts";
import { followable } from "./following.ts";
import { clientSource } from "./sources.ts";

/** In the order in which they are read. */
const everywhere = [
  "queries",
  "expansion",
  "options",
  "documents",
  "batch",
  "errors",
  "connection",
  "connected",
  "pages",
];
const withRealtime = [
  "subscriptions",
  "event-parser",
  "silence-watch",
  "stream-connection",
  "stream-context",
  "stream",
  "streams",
  "order",
  "held",
  "live",
  "subscribe",
  "following",
];

function moduleNames(realm: Realm): readonly string[] {
  const hasCalls = realm.functions.some(({ mode }) => mode === "call");
  const names = [
    ...everywhere,
    ...(realm.auth || hasCalls ? ["calls"] : []),
    ...(hasCalls ? ["functions"] : []),
    ...(realm.storage === undefined ? [] : ["files", "downloads", "direct-uploads", "resumable-uploads"]),
    ...modulesOf(realm).map((name) => `contracted/${name}`),
    ...(followable(realm).length > 0 ? withRealtime : []),
  ];
  return ["runtime/documents/shape.ts", ...names.map((name) => `runtime/client/${name}.ts`)];
}

/** Every name that occurs in those modules, its comments aside: those of types and values alike. */
export function runtimeNames(realm: Realm): ReadonlySet<string> {
  const texts = moduleNames(realm).map((name) => clientSource(name));
  const code = texts.join("\n").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  return new Set(code.match(/[A-Za-z_$][\w$]*/g));
}
