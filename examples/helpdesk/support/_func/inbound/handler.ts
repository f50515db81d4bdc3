import type { Handler } from "./$types.ts";
import { isSigned } from "./signature.ts";

/** A mail as the provider posts it, with an id of the provider's. `to` is `<organization>@in.helpdesk.example.com`. */
interface Mail {
  id: string;
  to: string;
  from: string;
  subject: string;
  text: string;
}

/**
 * Makes a ticket of a mail, or a reply of one whose subject names its ticket: `Re: … [#<ticket>]`. Providers send again what
 * they had no answer for. A mail that is known makes nothing new, and of two at once the unique index of `mail_id` refuses
 * one, which then comes again.
 */
const inbound: Handler = async (input, ctx) => {
  const signature = input.headers["x-mail-signature"] ?? "";
  if (!isSigned(input.body, signature, ctx.secrets.INBOUND_MAIL_KEY)) {
    throw ctx.error(401, "bad_signature", "This mail is not from our provider.");
  }
  const mail = input.json() as Mail;
  const org = mail.to.slice(0, mail.to.indexOf("@"));
  if ((await ctx.orgs.get(org)) === null) {
    throw ctx.error(404, "no_such_company", "No company has this address.");
  }
  const { tickets, replies } = ctx.db.support;
  const same = { where: { mail_id: mail.id, "_meta.org": org } };

  const [, named] = /\[#([0-9a-z]{20})\]/.exec(mail.subject) ?? [];
  const answered = named === undefined ? null : await tickets.get(named);
  if (answered?._meta.org === org) {
    const [known] = (await replies.list(same)).items;
    const text = upTo(20_000, mail.text) || "(empty)";
    const reply =
      known ?? (await replies.create({ ticket_id: answered.id, text, mail_id: mail.id }, { org }));
    return json({ ticket: answered.id, reply: reply.id });
  }

  const [known] = (await tickets.list(same)).items;
  const subject = upTo(200, mail.subject) || "(no subject)";
  const body = upTo(20_000, `${mail.from} wrote:\n\n${mail.text}`);
  const ticket =
    known ??
    (await tickets.create({ subject, body, status: "open", tags: ["mail"], mail_id: mail.id }, { org }));
  return json({ ticket: ticket.id });
};

/** What a field takes of a text, which counts code points. */
function upTo(most: number, text: string): string {
  return [...text].slice(0, most).join("");
}

function json(body: object) {
  return { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

export default inbound;
