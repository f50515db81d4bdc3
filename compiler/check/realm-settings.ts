import { diagnose } from "../diagnostics/catalogue.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import type { RealmCheck } from "../settings/subject.ts";
import { locate, nodeAt, type Path } from "../source/source.ts";

const accountKeys: readonly Path[] = [
  ["signup"],
  ["signup_limit"],
  ["roles"],
  ["default_roles"],
  ["profile"],
  ["sessions"],
  ["mfa"],
  ["email"],
  ["organizations"],
  ["admin", "read_access"],
];

/** Settings about users in a realm that has none. */
export const accountSettings: RealmCheck = ({ realm, settings, faults }) => {
  if (realm.auth || faults.touch(settings.path, ["auth"])) return [];
  const unused = accountKeys
    .filter((path) => nodeAt(settings, path) !== undefined)
    .map((path) => diagnose("setting-without-auth", locate(settings, path, "key"), { key: path.join(".") }));
  if (realm.openapi !== "users") return unused;
  return [
    ...unused,
    diagnose("setting-without-auth", locate(settings, ["openapi"]), { key: "openapi: users" }),
  ];
};

/** `default_roles` are roles of the realm. */
export const defaultRoles: RealmCheck = ({ realm, settings, faults }) => {
  if (!realm.auth || faults.cover(settings.path, ["roles"]) || faults.touch(settings.path, ["default_roles"]))
    return [];
  const roles = realm.roles.map(({ name }) => name);
  return realm.defaultRoles.flatMap((role, at) => {
    if (roles.includes(role)) return [];
    const hint = didYouMean(role, roles) ?? "declare it under roles";
    return [diagnose("unknown-role", locate(settings, ["default_roles", at]), { role }, { hint })];
  });
};

/** `cors.origins` are written exactly as browsers send `Origin`. */
export const origins: RealmCheck = ({ realm, settings, faults }) => {
  if (faults.touch(settings.path, ["cors"])) return [];
  return realm.origins.flatMap((origin, at) => {
    const found = originProblem(origin);
    if (found === undefined) return [];
    const span = locate(settings, ["cors", "origins", at]);
    return [diagnose("invalid-origin", span, { origin, problem: found.problem }, { hint: found.hint })];
  });
};

function originProblem(origin: string): { problem: string; hint?: string } | undefined {
  if (origin.includes("*")) return { problem: "wildcards are not allowed", hint: "list each origin" };
  if (origin === "null") return { problem: "null is the origin of anything in a sandbox" };
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#\s@]+$/i.test(origin) || !URL.canParse(origin)) {
    const meant = URL.canParse(origin) ? new URL(origin).origin : "null";
    return {
      problem: "it is not scheme://host[:port]",
      ...(meant === "null" ? {} : { hint: `write '${meant}'` }),
    };
  }
  const { origin: canonical, protocol } = new URL(origin);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  return canonical === origin
    ? undefined
    : { problem: "browsers send it otherwise", hint: `write '${canonical}'` };
}

/** Cookies need an origin that may use them. */
export const cookieOrigins: RealmCheck = ({ realm, settings, faults }) => {
  if (
    realm.sessions.cookie === undefined ||
    realm.origins.length > 0 ||
    faults.touch(settings.path, ["cors"])
  )
    return [];
  return [diagnose("cookie-without-origins", locate(settings, ["sessions", "cookie"], "key"), {})];
};
