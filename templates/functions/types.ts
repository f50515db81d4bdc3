/** `$types.ts`: what a function's handler.ts is written against. */
import type { Collection, Realm, RealmFunction } from "../../compiler/model/model.ts";
import { leadingTo } from "../../compiler/schema/place.ts";
import { typesOf } from "../../compiler/schema/types.ts";
import type { Trigger } from "../../compiler/settings/function/triggers.ts";
import {
  type Code,
  code,
  declared,
  docComment,
  type EmittedFile,
  emitModule,
  importedType,
  join,
  lines,
  literal,
  madeElsewhere,
  nothing,
  propertyKey,
  when,
} from "../print/code.ts";
import { Names } from "../print/names.ts";
import { functionPath } from "../server/names.ts";

const handlers = "realmc/functions";

export async function handlerTypesModule(realm: Realm, fn: RealmFunction): Promise<EmittedFile> {
  return emitModule({
    path: `${functionPath(fn)}/$types.ts`,
    sources: fn.sources,
    body: lines([...(await modes[fn.mode](fn)), typesOfFunction(realm, fn)]),
  });
}

function handler(type: string): Code {
  return importedType(type, handlers);
}

/** A type of the realm's `functions.ts`. */
function ofRealm(type: string): Code {
  return importedType(type, "../../../functions.ts");
}

const exported = docComment("What `handler.ts` exports by default.");

const modes: Readonly<Record<RealmFunction["mode"], (fn: RealmFunction) => Promise<readonly Code[]>>> = {
  webhook: async () => [
    code`${exported}export type ${declared("Handler")} = ${handler("WebhookHandler")}<Reached>;\n`,
  ],
  call: async (fn) => [
    code`${exported}export type ${declared("Handler")} = ${handler("CallHandler")}<Input, Output, Reached>;\n`,
    ...(await schemaTypes(fn)),
  ],
  event: async ({ triggers, schedule }) => {
    const scheduled = schedule === undefined ? [] : [handler("ScheduleEvent")];
    const events = join([...triggers.map(triggerEvent), ...scheduled], code` | `);
    return [
      code`${exported}export type ${declared("Handler")} = ${handler("EventHandler")}<Event, Reached>;\n`,
      code`${docComment("What it is run for.")}export type ${declared("Event")} = ${events};\n`,
    ];
  },
};

function triggerEvent({ database, collection, on }: Trigger): Code {
  const shape = code`${ofRealm("Collections")}[${literal(database)}][${literal(collection)}]`;
  return code`${handler("TriggerEvent")}<${literal(`${database}/${collection}`)}, ${shape}, ${unionOf(on)}>`;
}

/** `Input` and `Output`, and what they are made of. */
async function schemaTypes({ input, output }: RealmFunction): Promise<readonly Code[]> {
  const schemas = [
    ...(input === undefined ? [] : [{ name: "Input", schema: leadingTo(input.schema) }]),
    ...(output === undefined ? [] : [{ name: "Output", schema: leadingTo(output) }]),
  ];
  const taken = new Names();
  for (const name of [
    "Input",
    "Output",
    "Handler",
    "Reached",
    "CallHandler",
    "Calls",
    "Callers",
    "Collections",
  ])
    taken.claim(name);
  for (const name of ["Reads", "Writes", "ReadsAndWrites"]) taken.claim(name);
  return [
    when(input === undefined, () => code`export type ${declared("Input")} = Record<string, never>;\n`),
    when(output === undefined, () => code`export type ${declared("Output")} = unknown;\n`),
    schemas.length === 0 ? nothing : madeElsewhere(`${await typesOf(schemas, taken)}\n`),
  ];
}

/** What differs between functions. */
function typesOfFunction(realm: Realm, fn: RealmFunction): Code {
  return code`${docComment("What it reaches.")}interface ${declared("Reached")} {
    reach: ${reach(realm, fn)};
    callers: ${fn.mode === "call" ? ofRealm("Callers") : none};
    secrets: ${unionOf(fn.secrets)};
    calls: ${ofRealm("Calls")};
    mail: ${fn.mail};
    organizations: ${realm.organizations !== undefined};
  }`;
}

function reach(realm: Realm, { scopes }: RealmFunction): Code {
  const databases = realm.databases.flatMap(({ name, collections }) => {
    const reached = collections.flatMap((collection) => {
      const type =
        wayTypes[Number(isIn(scopes.read, collection)) + 2 * Number(isIn(scopes.write, collection))];
      if (type === undefined || type === "") return [];
      const shape = code`${ofRealm("Collections")}[${literal(name)}][${literal(collection.name)}]`;
      return [code`${propertyKey(collection.name)}: ${handler(type)}<${shape}>;`];
    });
    return reached.length === 0 ? [] : [code`${propertyKey(name)}: { ${lines(reached)} };`];
  });
  return databases.length === 0 ? none : code`{ ${lines(databases)} }`;
}

const none = code`Record<never, never>`;

const wayTypes = ["", "Reads", "Writes", "ReadsAndWrites"] as const;

function isIn(scopes: readonly string[], { database, name }: Collection): boolean {
  return scopes.includes(database) || scopes.includes(`${database}/${name}`);
}

function unionOf(values: readonly string[]): Code {
  return values.length === 0 ? code`never` : join(values.map(literal), code` | `);
}
