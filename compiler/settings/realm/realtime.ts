/** `realtime` of realm.yaml: limits of streams, below the instance's. */
import type { RealtimeLimits } from "../../../runtime/realm/definition.ts";
import { limitKeys } from "../../../runtime/realtime/realm-limits.ts";
import { printSize } from "../../../runtime/units.ts";
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import type { Span } from "../../diagnostics/diagnostic.ts";
import { number, object, size } from "../../model/given.ts";
import type { Realm } from "../../model/model.ts";
import { locate } from "../../source/source.ts";
import type { Changes } from "../change.ts";
import { limitChange } from "../limits.ts";
import { realmSetting } from "../setting.ts";
import type { RealmCheck } from "../subject.ts";

declare module "../../model/model.ts" {
  interface Realm {
    readonly realtime?: { readonly limits: Partial<RealtimeLimits>; readonly span: Span };
  }
}

const codes = {
  "realtime-unused": {
    severity: "warning",
    summary: "Limits of realtime streams in a realm that has none.",
    message: "no collection of the realm declares realtime: true, so these limits have no effect",
    hint: "remove realtime here, or add realtime: true to a collection",
    explanation:
      "`realtime` in realm.yaml lowers the limits of streams; what they may follow is said by each collection.",
    wrong: { "realm.yaml": "auth: enabled\nrealtime: { max_streams: 100 }" },
    right: {
      "realm.yaml": "auth: enabled\nrealtime: { max_streams: 100 }",
      "collection.yaml": "rules: { read: user != null }\nrealtime: true",
    },
  },
} as const satisfies Codes;

const changes = {
  "realtime-lowered": {
    kind: "breaking",
    message: "was {old} and is {new}",
    why: "Streams that were opened are refused, or reset where they were not.",
  },
  "realtime-raised": { kind: "additive", message: "was {old} and is {new}", why: "Streams may do more." },
} as const satisfies Changes;

const diagnose = diagnoser(codes);

/** Limits of streams where nothing can be followed. */
const unusedRealtime: RealmCheck = ({ realm, faults }) => {
  const collections = realm.databases.flatMap((database) => database.collections);
  if (realm.realtime === undefined || collections.some(({ realtime }) => realtime !== undefined)) return [];
  // A collection whose file is not understood may be meant to be followed.
  const isOpen = collections.some(({ realm: name, database, name: collection }) =>
    faults.touch(`${name}/${database}/${collection}/collection.yaml`, ["realtime"]),
  );
  return isOpen ? [] : [diagnose("realtime-unused", realm.realtime.span, {})];
};

export const realtimeLimits = realmSetting({
  codes,
  changes,
  checks: [unusedRealtime],
  compare: (old, now, report) => {
    for (const [key, name] of limitKeys) {
      const [before, after] = [old, now].map(({ realm }) => realm.realtime?.limits[key]);
      const change = limitChange(before, after, key === "bufferBytes" ? printSize : String);
      if (change !== undefined) report(`realtime-${change.way}`, `realtime.${name}`, change.limits);
    }
  },
  read: ({ file, given }): Pick<Realm, "realtime"> => {
    if (given.find("realtime", object) === undefined) return {};
    const own = given.in("realtime");
    const limits: { -readonly [K in keyof RealtimeLimits]?: number } = {};
    for (const [key, name] of limitKeys) {
      const limit = own.find(name, key === "bufferBytes" ? size : number);
      if (limit !== undefined) limits[key] = limit;
    }
    return { realtime: { limits, span: locate(file, ["realtime"], "key") } };
  },
  definition: ({ realm }) => ({ realtime: realm.realtime?.limits }),
});
