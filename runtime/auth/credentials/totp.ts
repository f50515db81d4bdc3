import { HOTP, Secret, TOTP } from "otpauth";

/** RFC 6238 as authenticator apps take it without asking: SHA-1, 6 digits, 30 seconds. */
const algorithm = "SHA1";
const digits = 6;
const seconds = 30;

/** Steps that a clock may be ahead or behind. */
const drift = 1;

/** A new secret of 160 random bits, in base 32. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** What authenticator apps read, mostly as a QR code: `otpauth://totp/…`. */
export function totpUri(secret: string, issuer: string, label: string): string {
  const parameters = { issuer, label, secret: Secret.fromBase32(secret), algorithm, digits, period: seconds };
  return new TOTP(parameters).toString();
}

/**
 * The time step that a code is of, within one of now; undefined for every other.
 * @param at epoch milliseconds
 * @param after the step of the last code that was accepted: no code of it, or of one before it, is accepted again
 */
export function totpStep(secret: string, code: string, at: number, after: number): number | undefined {
  const key = Secret.fromBase32(secret);
  const now = TOTP.counter({ period: seconds, timestamp: at });
  for (let step = Math.max(now - drift, after + 1); step <= now + drift; step += 1) {
    const parameters = { token: code, secret: key, algorithm, digits, counter: step, window: 0 };
    if (HOTP.validate(parameters) !== null) return step;
  }
  return undefined;
}

/** Whether a text looks like a code; spaces are how apps show it. */
export function readTotpCode(text: string): string | undefined {
  const code = text.replaceAll(" ", "");
  return /^\d{6}$/.test(code) ? code : undefined;
}
