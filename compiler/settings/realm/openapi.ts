/** `openapi`: who may fetch the API's description. */
import { importedDefault } from "../../../templates/print/code.ts";
import { oneOf } from "../../model/given.ts";
import { locate } from "../../source/source.ts";
import type { Changes } from "../change.ts";
import { realmSetting } from "../setting.ts";
import type { RealmCheck } from "../subject.ts";
import { movedOn } from "../words.ts";
import { diagnose, hasNoUsers } from "./auth.ts";

declare module "../../model/model.ts" {
  interface Realm {
    readonly openapi: "public" | "users" | "off";
  }
}

const changes = {
  "openapi-narrowed": {
    kind: "breaking",
    message: "the API's description was {old} and is {new}",
    why: "Fewer people, or nobody, can fetch `_openapi.json` and `_docs`.",
  },
  "openapi-widened": {
    kind: "additive",
    message: "the API's description was {old} and is {new}",
    why: "More people can fetch `_openapi.json` and `_docs`.",
  },
} as const satisfies Changes;

const forNobody: RealmCheck = (subject) => {
  const { realm, settings } = subject;
  if (realm.openapi !== "users" || !hasNoUsers(subject)) return [];
  return [diagnose("setting-without-auth", locate(settings, ["openapi"]), { key: "openapi: users" })];
};

export const openapi = realmSetting({
  changes,
  checks: [forNobody],
  compare: ({ realm: { openapi: old } }, { realm: { openapi: now } }, report) => {
    const way = movedOn(["off", "users", "public"], old, now);
    if (way !== undefined) report(`openapi-${way}`, "openapi", { old, new: now });
  },
  read: ({ given }) => ({ openapi: given.read("openapi", oneOf("public", "users", "off")) }),
  definition: ({ realm: { openapi: access } }) => ({
    openapi:
      access === "off"
        ? undefined
        : { access, document: importedDefault("openapi", "./openapi.json", { type: "json" }) },
  }),
  effective: ({ realm: { openapi: access } }) => ({ openapi: access }),
});
