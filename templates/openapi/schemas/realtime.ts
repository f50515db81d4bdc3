import type { Collection, Realm } from "../../../compiler/model/model.ts";
import { timestamp } from "../../../runtime/contract/schema.ts";
import type { JsonObject } from "../../../runtime/json.ts";
import type { CollectionSchemas } from "./collection.ts";
import { filterSchema } from "./conditions.ts";
import type { MadeSchemas } from "./contracted.ts";
import type { Ref, SchemaPool } from "./pool.ts";
import { queryFields } from "./values.ts";

/** A collection that can be followed. */
export interface Followed {
  readonly collection: Collection;
  readonly stem: string;
  readonly schemas: CollectionSchemas;
}

/**
 * `RealtimeRequest` with a `TicketsSubscription` for each collection, and `RealtimeEvent` with a `TicketsEvent` for each
 * (spec: Realtime subscription; Realtime stream events).
 */
export function realtimeSchemas(pool: SchemaPool, realm: Realm, followed: readonly Followed[]): MadeSchemas {
  const subscriptions = followed.map((each) => subscription(pool, realm, each));
  const [only] = subscriptions;
  return {
    RealtimeRequest: pool.add("RealtimeRequest", {
      type: "object",
      required: ["subscriptions"],
      properties: {
        subscriptions: {
          type: "array",
          description: "As many as the server allows: 20 unless it is set otherwise. No two have one id.",
          minItems: 1,
          items: subscriptions.length === 1 && only ? { ...only } : { oneOf: [...subscriptions] },
        },
      },
      additionalProperties: false,
    }),
    RealtimeEvent: pool.add("RealtimeEvent", {
      description:
        "One event: its name (`event:`), its data (`data:`, as JSON) and, on the last event of each change, a resume token (`id:`). A block with an `id:` alone is a resume token without an event.",
      anyOf: [...followed.map((each) => shownEvent(pool, each)), ...realmEvents(pool, realm)],
    }),
  };
}

const subscriptionId = { type: "string", minLength: 1, maxLength: 64 };

function subscription(pool: SchemaPool, realm: Realm, { collection, stem }: Followed): Ref {
  // Only live documents are followed.
  const { softDelete: _, ...live } = collection;
  return pool.add(`${stem}Subscription`, {
    type: "object",
    description:
      "Documents that fit `where`, or the one of `doc`; all that the caller may read without either.",
    required: ["id", "db", "collection"],
    properties: {
      id: { ...subscriptionId, description: "By which events call it." },
      db: { type: "string", const: collection.database },
      collection: { type: "string", const: collection.name },
      where: filterSchema(pool, collection, queryFields(realm, live), stem),
      doc: { type: "string", description: "Id of a document.", minLength: 1, maxLength: 128 },
    },
    // Named with it: judges of documents want to see what is required.
    not: { properties: { where: {}, doc: {} }, required: ["where", "doc"] },
    additionalProperties: false,
  });
}

function shownEvent(pool: SchemaPool, { collection, stem, schemas }: Followed): Ref {
  return pool.add(`${stem}Event`, {
    type: "object",
    description: `A document of ${collection.name} entered a subscription, or changed in it; as a read returns it, without \`_expanded\`.`,
    required: ["event", "data"],
    properties: {
      event: { type: "string", enum: ["created", "updated"] },
      data: {
        type: "object",
        required: ["sub", "doc"],
        properties: { sub: subscriptionId, doc: schemas.Document },
        additionalProperties: false,
      },
      id: token,
    },
    additionalProperties: false,
  });
}

const token = { type: "string", description: "A resume token." };

/** Those that are the same whatever is followed. */
function realmEvents(pool: SchemaPool, { auth }: Realm): readonly Ref[] {
  const event = (stem: string, name: string, description: string, data: JsonObject, hasToken: Tokens): Ref =>
    pool.add(`Realtime${stem}`, {
      type: "object",
      description,
      required: ["event", "data", ...(hasToken === "always" ? ["id"] : [])],
      properties: {
        event: { type: "string", const: name },
        data: { type: "object", required: Object.keys(data), properties: data, additionalProperties: false },
        ...(hasToken !== "never" && { id: token }),
      },
      additionalProperties: false,
    });
  const subscriptions = { type: "array", items: subscriptionId, minItems: 1 };
  const gone = { sub: subscriptionId, id: { type: "string" }, version: { type: "integer", minimum: 0 } };
  const reset = { subs: subscriptions, reason: { type: "string", enum: resetReasons } };
  const ended = { reason: { type: "string", enum: endReasons } };
  return [
    event("Ready", "ready", "The stream is open; always first.", { subscriptions }, "always"),
    event(
      "Removed",
      "removed",
      "A document left a subscription: deleted, or no longer visible to the caller. `version` is its last, 0 where it had none.",
      gone,
      "maybe",
    ),
    event("Reset", "reset", "Load these subscriptions anew by ordinary reads.", reset, "always"),
    ...(auth
      ? [
          event(
            "SessionEnded",
            "session_ended",
            "The session, user or key is gone; the stream closes.",
            ended,
            "never",
          ),
          event(
            "Reauth",
            "reauth",
            "The lifetime of the credential is over; the stream closes. Come again with a fresh one and the last resume token.",
            { expires_at: timestamp },
            "never",
          ),
        ]
      : []),
  ];
}

/** Whether an event carries a resume token. */
type Tokens = "always" | "maybe" | "never";

/** spec: Realtime stream events 3. */
const resetReasons = [
  "history_expired",
  "slow_consumer",
  "preimage_missing",
  "config_changed",
  "access_changed",
];

const endReasons = ["signed_out", "revoked", "disabled", "deleted"];
