/** `realmc explain <realm>/<database>/<collection> --as … --op …`: who may do what, and the clause that decides. */
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { didYouMean } from "../../runtime/suggest.ts";
import { whileReading, whileReadingAll } from "../diagnostics/internal-error.ts";
import type { Request } from "../explain/attempt.ts";
import { decideCall } from "../explain/call.ts";
import { type Decision, decide } from "../explain/decision.ts";
import { explainListing } from "../explain/listing.ts";
import { renderDecision, renderListing } from "../explain/render-decision.ts";
import { functionFile, settingsFile } from "../model/declaring-files.ts";
import type { AnalysedRealm } from "../pipeline.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { type Asked, askedOf } from "./explain-asked.ts";
import type { ExplainDecisionOptions, Subject } from "./explain-options.ts";
import { ServerUnusable } from "./explain-server.ts";
import { findCollection, findFunction, readJson } from "./explained.ts";
import type { Terminal } from "./terminal.ts";

/** Words of `--op`, and what each asks for. */
const operations = {
  create: "create",
  read: "read",
  update: "update",
  patch: "update",
  replace: "update",
  delete: "delete",
  restore: "restore",
  purge: "purge",
  list: "list",
  call: "call",
} as const;

/**
 * Says whether somebody may do something, and why: 0 whatever the decision is, 1 where the configuration has mistakes or the
 * server cannot be asked.
 * @param named `<realm>/<database>/<collection>`
 * @throws UsageError
 */
export async function explainDecisionOf(
  named: string,
  options: ExplainDecisionOptions,
  terminal: Terminal,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ExitCode> {
  const word = required(options.op, "--op", Object.keys(operations).join(", "));
  const operation = isOperation(word) ? operations[word] : undefined;
  if (operation === undefined) {
    const words = Object.keys(operations);
    throw new UsageError(
      `there is no operation '${word}' (${didYouMean(word, words) ?? `there are: ${words.join(", ")}`})`,
    );
  }
  required(options.as, "--as", "who asks: a caller of the tests, a user's id, anonymous, or JSON");
  const needsDocument = !["create", "list", "call"].includes(operation);
  if (needsDocument) required(options.doc, "--doc", "the document that it is about");
  const key = environment["REALMC_KEY"];
  const askFor = <T extends Subject>(find: (realms: readonly AnalysedRealm[]) => T) =>
    askedOf(named, find, options, needsDocument, terminal, key).catch((error: unknown) => {
      if (!(error instanceof ServerUnusable)) throw error;
      terminal.fail(error.message);
      return { kind: "mistaken", code: exit.diagnostics } as const;
    });
  const print = (decision: Decision): ExitCode => {
    terminal.out(options.format === "json" ? JSON.stringify(decision, null, 2) : renderDecision(decision));
    return exit.ok;
  };
  if (operation === "call") {
    const asked = await askFor((realms) => findFunction(named, realms));
    if (asked.kind === "mistaken") return asked.code;
    const data = dataOf(options);
    return print(whileReading(functionFile(asked.of.fn), () => decideCall(asked.of, asked.access, data)));
  }
  const asked = await askFor((realms) => findCollection(named, realms));
  if (asked.kind === "mistaken") return asked.code;
  const { of, access } = asked;
  if (operation === "list") {
    const listing = await whileReadingAll(settingsFile(of.collection), () => explainListing(of, access));
    terminal.out(options.format === "json" ? JSON.stringify(listing, null, 2) : renderListing(listing));
    return exit.ok;
  }
  const request = requestOf(operation, word, options, asked);
  return print(whileReading(settingsFile(of.collection), () => decide(of, access, request)));
}

function isOperation(word: string): word is keyof typeof operations {
  return Object.hasOwn(operations, word);
}

function required(value: string | undefined, option: string, what: string): string {
  if (value === undefined || value === "") throw new UsageError(`${option} is missing (${what})`);
  return value;
}

function requestOf(
  operation: Request["operation"],
  word: string,
  options: ExplainDecisionOptions,
  { document = {} }: Pick<Asked, "document">,
): Request {
  const { org, team } = options;
  switch (operation) {
    case "create":
      return { operation, data: dataOf(options), org, team };
    case "update":
      return {
        operation,
        document,
        change: word === "replace" ? "replace" : "patch",
        data: dataOf(options),
        org,
      };
    default:
      return { operation, document };
  }
}

function dataOf({ data = "{}" }: ExplainDecisionOptions): JsonObject {
  const [value, what] = readJson(data, "--data", `'{"status":"closed"}'`);
  if (!isJsonObject(value)) throw new UsageError(`${what} must be a JSON object`);
  return value;
}
