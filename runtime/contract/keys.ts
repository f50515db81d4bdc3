/** api-decisions: Administrator routes about API keys. */
import { contract, type RouteContract } from "./contract.ts";
import { administrationTag as tag } from "./jobs.ts";
import { areas, keyFacts, keyName, networks, scopes, shownKey, storedScopes } from "./key-members.ts";
import { paging } from "./parameters.ts";
import { closed, id, named, page, timestamp } from "./schema.ts";
import type { RealmTraits } from "./traits.ts";

const sees = { kind: "administrator", area: "apikeys", to: "see" } as const;
const changes = { ...sees, to: "change" } as const;

const expires_at = {
  ...timestamp,
  type: ["string", "null"],
  check: "instant",
  description: "Null: never.",
} as const;

const onBehalfOf = ({ auth }: RealmTraits) =>
  ({
    type: "boolean",
    description: auth
      ? "Whether it may act for users, by `X-Svc-On-Behalf-Of`."
      : "Of no effect: this realm has no users.",
  }) as const;

/** What a key may do, as it is answered. */
const facts = (traits: RealmTraits) =>
  ({
    scopes: storedScopes,
    admin: { anyOf: [{ type: "boolean" }, areas], description: "True: everything; or some areas." },
    on_behalf_of: onBehalfOf(traits),
    ...keyFacts,
  }) as const;

const asked = {
  name: {
    ...keyName,
    description:
      "Unique in the realm, without control characters and without space at its ends. What the key writes names it: `key:<name>`.",
  },
  scopes,
  admin: {
    anyOf: [{ type: "boolean" }, areas, { type: "null" }],
    check: "later",
    description: "What it administers, nothing when left out; only full administrators give any of it.",
  },
  networks,
  expires_at,
} as const;

export const listKeys = contract({
  id: "adminListKeys",
  method: "GET",
  path: "/_admin/keys",
  who: sees,
  query: paging,
  answers: {
    200: {
      description: "A page.",
      schema: page(
        "ApiKeyPage",
        named("ApiKey", (traits) => closed({ id, name: id, ...facts(traits) })),
      ),
    },
  },
  tag,
  summary: "List API keys",
  client: "$admin.listKeys",
});

export const createKey = contract({
  id: "adminCreateKey",
  method: "POST",
  path: "/_admin/keys",
  who: changes,
  body: {
    schema: named("NewApiKey", closed({ ...asked, on_behalf_of: { type: "boolean" } }, ["name"])),
    // One that was made while the realm had users may have it still.
    shown: named("NewApiKey", (traits) =>
      closed({ ...asked, on_behalf_of: { ...onBehalfOf(traits), ...(!traits.auth && { enum: [false] }) } }, [
        "name",
      ]),
    ),
    media: "json",
  },
  answers: {
    201: {
      description: "The key, shown this once.",
      schema: named("MadeApiKey", (traits) =>
        closed({
          id,
          name: id,
          key: shownKey,
          ...facts(traits),
        }),
      ),
    },
  },
  errors: ["conflict"],
  tag,
  summary: "Make an API key",
  about:
    "Nobody gives a key more than they hold: keys that administer are made by full administrators, keys that reach data by administrators of `data`, whatever their scopes.",
  client: "$admin.createKey",
});

export const revokeKey = contract({
  id: "adminRevokeKey",
  method: "DELETE",
  path: "/_admin/keys/{id}",
  who: changes,
  answers: { 204: { description: "Revoked." } },
  tag,
  summary: "Revoke an API key",
  about: "It ends with the next request. Keys that administer are revoked by full administrators.",
  client: "$admin.revokeKey",
});

export const keys: readonly RouteContract[] = [listKeys, createKey, revokeKey];
