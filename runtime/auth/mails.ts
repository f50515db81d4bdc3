import type { RealmDefinition } from "../realm/definition.ts";
import type { Mail } from "../realm/mail.ts";
import type { MailedPurpose } from "./credentials/mailed.ts";
import { mailName } from "./mail-name.ts";

/** What a mail is made of. */
type Letter = Pick<Mail, "subject" | "text">;

export function tokenMail(
  definition: RealmDefinition,
  purpose: MailedPurpose,
  to: string,
  token: string,
): Mail {
  return mail(definition, to, letters[purpose](definition, token));
}

/** Tells the former address of an account that it has another one now. */
export function addressChangedMail(definition: RealmDefinition, to: string): Mail {
  return mail(definition, to, {
    subject: "Your e-mail address was changed",
    text: lines(
      `The e-mail address of your account at ${definition.name} was changed. This one no longer belongs to it.`,
      "If it was not you who changed it, tell whoever runs the service at once.",
    ),
  });
}

/** Who invites, and to which organization, as they are called. */
export interface InvitationNames {
  readonly org: string;
  /** Undefined: it is not known, or nobody's. */
  readonly inviter: string | undefined;
}

/**
 * Carries an invitation to an organization. It names who invites and the organization by what {@link mailName} leaves of
 * that, or, where the realm wants it so, says nothing that people chose: else whoever makes one could send anything to anybody.
 */
export function organizationInvitationMail(
  definition: RealmDefinition,
  to: string,
  token: string,
  names: InvitationNames,
): Mail {
  const { name, accounts } = definition;
  const organizations = accounts?.organizations;
  const open = link(organizations?.invitationLink, token);
  const ignore = "If you do not know what this is about, ignore this mail.";
  if (organizations?.invitationMail.names !== true) {
    const said = `Somebody invites you to their organization at ${name}. To see which it is, and to join it, sign in and open:`;
    return mail(definition, to, { subject: "You are invited", text: lines(said, open, ignore) });
  }
  const [org, inviter] = [mailName(names.org), names.inviter && mailName(names.inviter)];
  const invites = inviter === undefined ? "You are invited" : `“${inviter}” invites you`;
  const where = org === undefined ? "an organization" : `the organization “${org}”`;
  const signsUp = organizations.invitationsSignUp;
  return mail(definition, to, {
    subject: org === undefined ? "You are invited" : `You are invited to ${org}`,
    text: lines(
      `${invites} to ${where} at ${name}. To join it, ${signsUp ? "" : "sign in and "}open:`,
      open,
      ...(signsUp ? ["If you have no account there yet, you make one as you join, for this address."] : []),
      ignore,
    ),
  });
}

/** A key as its owner is told of its end: by nothing that somebody chose. */
export interface EndingKey {
  readonly kind: "personal" | "organization" | "operator";
  /** Its first characters; null: not known. */
  readonly start: string | null;
  readonly expires_at: string;
}

/** Tells who owns keys that they end soon. */
export function keysEndMail(definition: RealmDefinition, to: string, keys: readonly EndingKey[]): Mail {
  return mail(definition, to, {
    subject: keys.length === 1 ? "A key ends soon" : "Keys end soon",
    text: lines(
      ...keys.map(
        ({ kind, start, expires_at }) =>
          `${keyKinds[kind]} at ${definition.name}${start === null ? "" : `, which begins with ${start},`} ends at ${expires_at}.`,
      ),
      "What uses it then gets no further. Its end stays when it is rotated: make a new one, put it where this one is used, and revoke this one.",
      "If nothing uses it any more, there is nothing to do.",
    ),
  });
}

const keyKinds: Readonly<Record<EndingKey["kind"], string>> = {
  personal: "A personal token of your account",
  organization: "A key of your organization",
  operator: "An API key that you made, or that acts for you,",
};

const letters: Readonly<Record<MailedPurpose, (definition: RealmDefinition, token: string) => Letter>> = {
  verify: ({ name, accounts }, token) => ({
    subject: "Confirm your e-mail address",
    text: lines(
      `Somebody signed up at ${name} with this e-mail address. If it was you, confirm it:`,
      link(accounts?.email?.verifyLink, token),
      "This works once, within 24 hours. If it was not you, ignore this mail.",
    ),
  }),
  reset: ({ name, accounts }, token) => ({
    subject: "Choose a new password",
    text: lines(
      `Somebody asked for a new password of your account at ${name}. If it was you, choose one:`,
      link(accounts?.email?.resetLink, token),
      "This works once, within an hour. If it was not you, ignore this mail: your password stays as it is.",
    ),
  }),
  email: ({ name, accounts }, token) => ({
    subject: "Confirm your new e-mail address",
    text: lines(
      `Somebody wants to use this e-mail address for their account at ${name}. If it was you, confirm it:`,
      link(accounts?.email?.verifyLink, token),
      "This works once, within 24 hours. If it was not you, ignore this mail.",
    ),
  }),
};

/** Without a link in the configuration, the token for the user to enter. */
function link(template: string | undefined, token: string): string {
  return (template ?? "{token}").replaceAll("{token}", token);
}

/** Paragraphs of a line each. */
function lines(...paragraphs: readonly string[]): string {
  return `${paragraphs.join("\n\n")}\n`;
}

function mail(definition: RealmDefinition, to: string, letter: Letter): Mail {
  return { from: senderOf(definition), to, ...letter };
}

/** Whom the mails of a realm are from. */
export function senderOf({ name, accounts }: RealmDefinition): string {
  return accounts?.email?.from ?? `${name} <noreply@localhost>`;
}
