import type { Handler } from "./$types.ts";

/** A customer who answers to what we took for solved has it open again, one step more urgent. */
const reopen: Handler = async ({ document: reply }, ctx) => {
  const { tickets } = ctx.db.support;
  if ((await tickets.get(reply.ticket_id)) === null) return;
  await tickets.update(reply.ticket_id, ({ status, priority = 3, _meta }) => {
    // The reply may be told of twice. Whoever wrote to the ticket since has seen it, be it this function.
    const isAnswer = _meta.owner === reply._meta.owner && _meta.updated_at <= reply._meta.created_at;
    return status === "solved" && isAnswer
      ? { status: "open", priority: Math.max(1, priority - 1) }
      : undefined;
  });
};

export default reopen;
