import type { Handler } from "./$types.ts";

/** Tells an agent of a ticket that is theirs now. */
const assigned: Handler = async ({ document: { id, subject, assignee_id: user } }, ctx) => {
  if (user == null) return;
  await ctx.mail.send({
    to: { user },
    subject: `Yours now: ${subject}`,
    text: `https://helpdesk.example.com/tickets/${id}`,
  });
};

export default assigned;
