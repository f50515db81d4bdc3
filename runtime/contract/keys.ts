/** api-decisions: Administrator routes about API keys. */
import { contract, type RouteContract } from "./contract.ts";
import { administrationTag as tag } from "./jobs.ts";
import {
  areas,
  keyFacts,
  keyName,
  networks,
  rotationBody,
  scopes,
  shownKey,
  storedScopes,
} from "./key-members.ts";
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

const delegation = [{ type: "boolean" }, { const: "required" }] as const;

const onBehalfOf = ({ auth }: RealmTraits) =>
  auth
    ? ({
        anyOf: delegation,
        description:
          "Whether it may act for users, by `X-Svc-On-Behalf-Of`; `required`: it does nothing without that.",
      } as const)
    : ({ anyOf: delegation, description: "Of no effect: this realm has no users." } as const);

/** What a key may do, as it is answered. */
const facts = (traits: RealmTraits) =>
  ({
    scopes: storedScopes,
    kind: {
      type: "string",
      enum: ["operator", "personal", "organization"],
      description: "Whose it is: the operator's, a user's, or an organization's.",
    },
    user: { type: ["string", "null"], description: "Id of the user whom it always acts for; null: nobody." },
    org: {
      type: ["string", "null"],
      description: "Id of the organization whose service member it always acts as; null: none.",
    },
    admin: { anyOf: [{ type: "boolean" }, areas], description: "True: everything; or some areas." },
    on_behalf_of: onBehalfOf(traits),
    ...keyFacts,
  }) as const;

const hasAccounts = ({ auth }: RealmTraits) => auth;
const hasOrganizations = ({ organizations }: RealmTraits) => organizations !== undefined;

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
  user: {
    type: ["string", "null"],
    when: hasAccounts,
    description: "Id of the user whom it always acts for; goes with no `admin` and no `on_behalf_of`.",
  },
  org: {
    type: ["string", "null"],
    when: hasOrganizations,
    description:
      "Id of the organization as whose service member it always acts; goes with no `user`, `admin` and `on_behalf_of`.",
  },
  roles: {
    type: ["array", "null"],
    items: { type: "string" },
    maxItems: 20,
    when: hasOrganizations,
    description: "What its service member has in `org`, whatever that manages.",
  },
  teams: {
    type: ["array", "null"],
    items: { type: "string" },
    maxItems: 100,
    when: hasOrganizations,
    description: "Ids of the teams of `org` that its service member is in.",
  },
} as const;

const warnings = {
  type: "array",
  items: { type: "string" },
  description: "What is dangerous about the key, and what to do instead; absent where nothing is.",
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
    schema: named("NewApiKey", closed({ ...asked, on_behalf_of: { anyOf: delegation } }, ["name"])),
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
      schema: named("MadeApiKey", (traits) => {
        const always = closed({ id, name: id, key: shownKey, ...facts(traits) });
        return { ...always, properties: { ...always.properties, warnings } };
      }),
    },
  },
  errors: ["conflict"],
  tag,
  summary: "Make an API key",
  about:
    "Nobody gives a key more than they hold: keys that administer are made by full administrators, keys that reach data by administrators of `data`, whatever their scopes, and keys that act for users, or as a service member of an organization, by administrators of `users`.",
  client: "$admin.createKey",
});

export const rotateKey = contract({
  id: "adminRotateKey",
  method: "POST",
  path: "/_admin/keys/{id}/rotate",
  who: changes,
  body: { schema: rotationBody, media: "json", optional: true },
  answers: {
    200: {
      description: "The key that there is from now on, shown this once.",
      schema: named("RotatedApiKey", (traits) => closed({ id, name: id, key: shownKey, ...facts(traits) })),
    },
  },
  errors: ["conflict", "write_conflict"],
  tag,
  summary: "Rotate an API key",
  about:
    "Its id and its end stay; the former key is good for `overlap`. For keys of operators, by who could make such a key; users and members of organizations rotate theirs.",
  client: "$admin.rotateKey",
});

export const revokeKey = contract({
  id: "adminRevokeKey",
  method: "DELETE",
  path: "/_admin/keys/{id}",
  who: changes,
  answers: { 204: { description: "Revoked." } },
  tag,
  summary: "Revoke an API key",
  errors: ["write_conflict"],
  about:
    "Whoever made it; it ends with the next request, and what rotations left of it. Keys that administer are revoked by full administrators.",
  client: "$admin.revokeKey",
});

export const keys: readonly RouteContract[] = [listKeys, createKey, rotateKey, revokeKey];
