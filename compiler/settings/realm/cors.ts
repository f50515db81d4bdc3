/** `cors`: from which origins pages may use the API. */
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import { texts } from "../../model/given.ts";
import { locate } from "../../source/source.ts";
import type { Changes } from "../change.ts";
import { realmSetting } from "../setting.ts";
import type { RealmCheck } from "../subject.ts";
import { turnover } from "../words.ts";

declare module "../../model/model.ts" {
  interface Realm {
    readonly origins: readonly string[];
  }
}

const codes = {
  "invalid-origin": {
    severity: "error",
    summary: "An entry of cors.origins is not a web origin.",
    message: "'{origin}' is not a web origin: {problem}",
    explanation:
      "An origin is scheme, host and, where it is not the scheme's own, port: what browsers send in `Origin`. It has no path and no final slash. `*` is refused: an API with credentials lists the origins that it trusts.",
    wrong: { "realm.yaml": "auth: enabled\ncors: { origins: ['https://app.example.com/'] }" },
    right: { "realm.yaml": "auth: enabled\ncors: { origins: ['https://app.example.com'] }" },
  },
} as const satisfies Codes;

const changes = {
  "origin-removed": {
    kind: "breaking",
    message: "pages of {origins} cannot use the API any longer",
    why: "Browsers refuse what CORS does not allow.",
  },
  "origin-added": {
    kind: "additive",
    message: "pages of {origins} can use the API",
    why: "More origins are allowed.",
  },
} as const satisfies Changes;

const diagnose = diagnoser(codes);

/** `cors.origins` are written exactly as browsers send `Origin`. */
const canonicalOrigins: RealmCheck = ({ realm, settings, faults }) => {
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

export const cors = realmSetting({
  codes,
  changes,
  checks: [canonicalOrigins],
  compare: ({ realm: { origins: old } }, { realm: { origins: now } }, report) => {
    const { gone, added } = turnover(old, now);
    if (gone) report("origin-removed", "cors.origins", { origins: gone });
    if (added) report("origin-added", "cors.origins", { origins: added });
  },
  read: ({ given }) => ({ origins: given.in("cors").read("origins", texts) }),
  definition: ({ realm: { origins } }) => ({ origins }),
  effective: ({ realm: { origins } }) => ({ cors: { origins } }),
});
