/** `openapi`: who may fetch the API's description, and what that says of the API. */

import type { JsonObject } from "../../../runtime/json.ts";
import { importedDefault } from "../../../templates/print/code.ts";
import { type Given, object, oneOf, present, text } from "../../model/given.ts";
import { canonicalJson } from "../../source/meaning.ts";
import { locate, nodeAt } from "../../source/source.ts";
import type { Changes } from "../change.ts";
import { realmSetting } from "../setting.ts";
import type { RealmCheck } from "../subject.ts";
import { movedOn } from "../words.ts";
import { diagnose, hasNoUsers } from "./auth.ts";

declare module "../../model/model.ts" {
  interface Realm {
    readonly openapi: "public" | "users" | "off";
    /** Of the description's `info`, what the configuration says. */
    readonly apiInfo?: ApiInfo;
  }
}

/** Members of an `info` object of OpenAPI 3.1. */
export interface ApiInfo {
  readonly title?: string;
  readonly version?: string;
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string };
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string };
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
  "openapi-info-changed": {
    kind: "additive",
    message: "what the API's description says of the API has changed: {members}",
    why: "Readers of the document see another title, version, license or contact; requests are answered as before.",
  },
} as const satisfies Changes;

const forNobody: RealmCheck = (subject) => {
  const { realm, settings } = subject;
  if (realm.openapi !== "users" || !hasNoUsers(subject)) return [];
  const path = ["openapi", "access"];
  const place = nodeAt(settings, path) === undefined ? ["openapi"] : path;
  return [diagnose("setting-without-auth", locate(settings, place), { key: "openapi: users" })];
};

const access = oneOf("public", "users", "off");

function infoIn(about: Given): ApiInfo {
  return present({
    title: about.find("title", text),
    version: about.find("version", text),
    license: licenseIn(about),
    contact: about.find("contact", object) && contactIn(about.in("contact")),
  });
}

function licenseIn(about: Given): ApiInfo["license"] {
  const identifier = about.find("license", text);
  if (identifier !== undefined) return { name: identifier, identifier };
  const license = about.in("license");
  const name = license.find("name", text);
  return name === undefined ? undefined : { name, ...present({ url: license.find("url", text) }) };
}

function contactIn(contact: Given): ApiInfo["contact"] {
  return present({
    name: contact.find("name", text),
    url: contact.find("url", text),
    email: contact.find("email", text),
  });
}

/** As the configuration says it: a license without an address by its identifier. */
function written({ license, ...info }: ApiInfo = {}): JsonObject {
  return {
    ...present(info),
    ...(license && { license: license.identifier ?? present({ name: license.name, url: license.url }) }),
  };
}

export const openapi = realmSetting({
  changes,
  checks: [forNobody],
  compare: ({ realm: before }, { realm: after }, report) => {
    const [old, now] = [before.openapi, after.openapi];
    const way = movedOn(["off", "users", "public"], old, now);
    if (way !== undefined) report(`openapi-${way}`, "openapi", { old, new: now });
    const [was, is] = [written(before.apiInfo), written(after.apiInfo)];
    const members = ["title", "version", "license", "contact"].filter(
      (name) => canonicalJson(was[name] ?? null) !== canonicalJson(is[name] ?? null),
    );
    if (members.length > 0) report("openapi-info-changed", "openapi", { members: members.join(", ") });
  },
  read({ given }) {
    const about = given.in("openapi");
    const info = infoIn(about);
    return {
      openapi:
        given.find("openapi", object) === undefined
          ? given.read("openapi", access)
          : about.read("access", access),
      ...(Object.keys(info).length > 0 && { apiInfo: info }),
    };
  },
  definition: ({ realm: { openapi } }) => ({
    openapi:
      openapi === "off"
        ? undefined
        : { access: openapi, document: importedDefault("openapi", "./openapi.json", { type: "json" }) },
  }),
  effective({ realm: { openapi, apiInfo } }) {
    const info = written(apiInfo);
    return { openapi: Object.keys(info).length === 0 ? openapi : { access: openapi, ...info } };
  },
});
