import type { Handler } from "./$types.ts";

/**
 * Closes a ticket and says why in a reply: both, or neither. All of it by the caller's own rights, so that the rules of
 * tickets and replies decide who may.
 */
const close: Handler = async ({ ticket: id, reason }, ctx) => {
  const { support } = ctx.caller.db;
  const ticket = await support.tickets.get(id);
  if (ticket === null) throw ctx.error(404, "no_such_ticket", "You see no ticket of this id.");
  if (ticket.status === "closed") throw ctx.error(409, "already_closed", "The ticket is closed already.");
  const { org, version } = ticket._meta;
  const [, reply] = await support.batch(
    [
      // As it was looked at: who closes it meanwhile is not followed by a second reason.
      { op: "patch", collection: "tickets", id, patch: { status: "closed" }, if_match: String(version) },
      { op: "create", collection: "replies", document: { ticket_id: id, text: reason } },
    ],
    { org },
  );
  return { ticket: id, reply: reply.id };
};

export default close;
