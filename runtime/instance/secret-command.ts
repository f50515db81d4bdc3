import { actorNamed, appendAudit, withoutRequest } from "../auth/administration/audit.ts";
import { systemCollections } from "../auth/collections.ts";
import { commandLine } from "../auth/command-keys.ts";
import { longestSecret, secretNameProblems, storeSecret } from "../auth/secret-storing.ts";
import type { Clock } from "../clock.ts";
import { missingSecrets } from "../functions/missing-secrets.ts";
import { idGenerator } from "../ids.ts";
import { vault } from "../sealing.ts";
import { type Program, realmsCalled, type Surroundings, UsageError } from "./command.ts";
import { withRealmStore } from "./command-store.ts";
import { optionsAmong, required } from "./command-words.ts";
import { DataFolder } from "./data.ts";
import { keysOf } from "./instance-keys.ts";
import { secretsPurpose } from "./realm.ts";
import { readSettings } from "./settings.ts";

export const secretUsage = `secret set --realm <realm> --name <name>      the value comes on stdin
       server secret list --realm <realm>`;

/**
 * `secret set` sets a secret of a realm's functions to what comes on stdin, but for a line end at its end; `secret list` prints
 * those that functions declare, a line of JSON each, and whether they are set. They work beside a running server.
 * @throws UsageError | BadSettings
 */
export async function secretCommand(
  program: Program,
  words: readonly string[],
  surroundings: Surroundings,
  clock: Clock,
): Promise<number> {
  const [action = "", ...rest] = words;
  if (action === "set") return set(program, rest, surroundings, clock);
  if (action === "list") return list(program, rest, surroundings, clock);
  throw new UsageError(`unknown command: secret ${action}`.trim());
}

async function set({ realms }: Program, words: readonly string[], around: Surroundings, clock: Clock) {
  const values = optionsAmong(words, { realm: { type: "string" }, name: { type: "string" } });
  const realm = required("--realm", values.realm);
  const name = required("--name", values.name);
  const [{ definition }] = realmsCalled(realm, realms);
  const [problem] = secretNameProblems(name);
  if (problem !== undefined) throw new UsageError(`--name ${problem.reason}`);
  const value = (await (around.read ?? readStdin)()).replace(/\r?\n$/, "");
  if (value === "") throw new UsageError("the value comes on stdin, and nothing came");
  if (value.length > longestSecret)
    throw new UsageError(`a secret has at most ${longestSecret} characters, not ${value.length}`);
  const settings = readSettings(around.environment);
  await withRealmStore(realm, settings, clock, systemCollections(definition), async (store) => {
    const sealing = vault(keysOf(settings, new DataFolder(settings)), secretsPurpose(realm));
    const audited = { clock, newId: idGenerator(clock) };
    await storeSecret({ store, clock, vault: sealing }, { name, value }, (transaction, replaced) =>
      appendAudit(audited, transaction, withoutRequest, actorNamed(commandLine), {
        ...{ action: "secret.put", target: `secret:${name}`, details: { replaced } },
      }),
    );
  });
  const isDeclared = (definition.functions ?? []).some(({ secrets }) => secrets.includes(name));
  if (!isDeclared) around.err(`warning: no function of realm ${realm} declares the secret ${name}`);
  around.err(`secret ${name} of realm ${realm} is set; functions have it from their next run on`);
  return 0;
}

async function list({ realms }: Program, words: readonly string[], around: Surroundings, clock: Clock) {
  const realm = required("--realm", optionsAmong(words, { realm: { type: "string" } }).realm);
  const [{ definition }] = realmsCalled(realm, realms);
  const functions = definition.functions ?? [];
  const settings = readSettings(around.environment);
  await withRealmStore(realm, settings, clock, systemCollections(definition), async (store) => {
    const missing = new Set((await missingSecrets(store, functions)).map(({ name }) => name));
    for (const name of [...new Set(functions.flatMap(({ secrets }) => secrets))].sort()) {
      const of = functions.filter(({ secrets }) => secrets.includes(name));
      around.out(
        JSON.stringify({
          ...{ name, set: !missing.has(name) },
          functions: of.map((each) => `${each.database}/${each.name}`),
        }),
      );
    }
  });
  return 0;
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
