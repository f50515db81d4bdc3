import { Secret, TOTP } from "otpauth";
import { type Accounts, type Person, text } from "./accounts.ts";

/** A second factor; every code of it is good once, so the clock has to go on between two. */
export interface Factor {
  readonly secret: string;
  readonly recovery: readonly string[];
}

/** Gives an account a second factor, and a verified address; its session counts as one with a second factor then. */
export async function secondFactor(
  server: Accounts,
  person: Pick<Person, "id" | "token">,
  realm = "shop",
): Promise<Factor> {
  const { token } = person;
  await server.verify(person, realm);
  const headers = { "x-svc-reauth": await server.reauth(person, realm) };
  const enrolled = await server.send("POST", "/_auth/mfa/totp", { token, headers }, realm);
  const secret = text(enrolled.body, "secret");
  const body = { code: totpCode(secret, server.clock.now()) };
  const confirmed = await server.send("POST", "/_auth/mfa/totp/confirm", { token, body }, realm);
  return { secret, recovery: recoveryCodes(confirmed.body) };
}

/** The codes in an answer; none where there are none. */
export function recoveryCodes({
  recovery_codes: codes,
}: {
  readonly recovery_codes?: unknown;
}): readonly string[] {
  return Array.isArray(codes) ? codes.map(String) : [];
}

/** What an authenticator app shows at a time (epoch milliseconds). */
export function totpCode(secret: string, at: number): string {
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: at });
}
