/** A realm's documents for tests: `ctx.db` past the rules, or `ctx.caller.db` of anybody. */
import type { Shape } from "../client/queries.ts";
import type { DatabasesReached, ReadsAndWrites } from "../functions/handler.ts";
import type { HostReply, HostRequest } from "../functions/invocation.ts";
import { databases } from "../functions/worker/documents.ts";
import { Requests } from "../functions/worker/requests.ts";
import { HostSender } from "../functions/worker/sender.ts";

/** Shapes of collections by database and name: `Collections` of the emitted `functions.ts`. */
export type AllCollections = Readonly<Record<string, Readonly<Record<string, Shape>>>>;

/** Everything, to be read and written. */
export type AllReached<All extends AllCollections> = DatabasesReached<{
  [Database in keyof All]: { [Name in keyof All[Database]]: ReadsAndWrites<All[Database][Name]> };
}>;

type Answering = (request: HostRequest) => Promise<HostReply>;

/**
 * What a handler asks of the server, answered in this process.
 * @param answer rejects for nothing, as a host does
 */
export function answeredBy(answer: Answering): Requests {
  const requests: Requests = new Requests((id, request) => {
    void answer(request).then((reply) => requests.receive(id, reply));
  });
  return requests;
}

export function allDocuments<All extends AllCollections>(
  as: "function" | "caller",
  most: number,
  answer: Answering,
): AllReached<All>;
export function allDocuments(as: "function" | "caller", most: number, answer: Answering): object {
  return databases(new HostSender(answeredBy(answer), as, most, "test"));
}
