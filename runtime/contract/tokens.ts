/** api-decisions: Accounts, personal tokens: keys that users make for themselves. */
import { accountsTag as tag } from "./accounts.ts";
import { contract, type RouteContract } from "./contract.ts";
import {
  keyFacts,
  keyLifetime,
  keyName,
  networks,
  rotationBody,
  shownKey,
  storedScopes,
} from "./key-members.ts";
import { paging } from "./parameters.ts";
import { closed, id, named, page } from "./schema.ts";
import type { RealmTraits } from "./traits.ts";

const session = { kind: "session" } as const;
const proved = { kind: "session", proof: true } as const;
const when = ({ tokens }: RealmTraits): boolean => tokens;

const facts = { scopes: storedScopes, ...keyFacts } as const;

const made = named("MadePersonalToken", closed({ id, name: id, key: shownKey, ...facts }));

export const listTokens = contract({
  id: "getPersonalTokens",
  method: "GET",
  path: "/_auth/tokens",
  who: session,
  query: paging,
  answers: {
    200: {
      description: "A page.",
      schema: page("PersonalTokenPage", named("PersonalToken", closed({ id, name: id, ...facts }))),
    },
  },
  tag,
  summary: "List the signed-in user's personal tokens",
  about: "Oldest first.",
  client: "$auth.tokens",
  when,
});

export const createToken = contract({
  id: "createPersonalToken",
  method: "POST",
  path: "/_auth/tokens",
  who: proved,
  body: {
    schema: named(
      "NewPersonalToken",
      closed(
        {
          name: {
            ...keyName,
            description:
              "Unique among the user's tokens, without control characters and without space at its ends.",
          },
          scopes: {
            type: ["object", "null"],
            realm: "tokenScopes",
            additionalProperties: false,
            description:
              "What it may do of what its user may: on everything, or on databases, collections and functions named; `{}`: nothing; null: as much as personal tokens may in this realm, and no administration. `admin`: areas that it administers, as long as its user does.",
          },
          expires_in: keyLifetime,
          networks,
        },
        ["name"],
      ),
    ),
    media: "json",
  },
  answers: { 201: { description: "The token, shown this once.", schema: made } },
  errors: ["conflict", "write_conflict"],
  tag,
  summary: "Make a personal token",
  about:
    "An API key that always acts as its user, under the rules. It has no session: of `_auth` and `_orgs` it may nothing. At most 50.",
  client: "$auth.createToken",
  when,
});

export const rotateToken = contract({
  id: "rotatePersonalToken",
  method: "POST",
  path: "/_auth/tokens/{id}/rotate",
  who: proved,
  body: { schema: rotationBody, media: "json", optional: true },
  answers: { 200: { description: "The new token, shown this once.", schema: made } },
  errors: ["not_found", "conflict", "write_conflict"],
  tag,
  summary: "Rotate a personal token",
  about: "Its id and its end stay; the former one is good for a while still.",
  client: "$auth.rotateToken",
  when,
});

export const revokeToken = contract({
  id: "revokePersonalToken",
  method: "DELETE",
  path: "/_auth/tokens/{id}",
  who: session,
  answers: { 204: { description: "Revoked." } },
  errors: ["not_found", "write_conflict"],
  tag,
  summary: "Revoke a personal token",
  about: "It ends with the next request, and with it what rotations left of it.",
  client: "$auth.revokeToken",
  when,
});

export const tokens: readonly RouteContract[] = [listTokens, createToken, rotateToken, revokeToken];
