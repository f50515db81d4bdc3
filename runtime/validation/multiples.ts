/** `multipleOf` as decimals have it: 19.99 is a multiple of 0.01, whatever their nearest doubles divide to. */

/**
 * Whether a number is a whole multiple of another above zero, both taken for their shortest decimals, which is how JSON writes
 * them. Exact; `1e308` by `5e-324` at most is a division of some 630 digits.
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const multiple = decimalOf(value);
  const unit = decimalOf(divisor);
  const shift = multiple.exponent - unit.exponent;
  // Digits end in no zero, so ten divides none of them: a digit further right than the divisor's last one is left over.
  if (shift < 0) return multiple.digits === "0";
  const shifted = Number(multiple.digits) * 10 ** shift;
  const small = Number(unit.digits);
  if (Number.isSafeInteger(shifted) && Number.isSafeInteger(small)) return shifted % small === 0;
  return (BigInt(multiple.digits) * 10n ** BigInt(shift)) % BigInt(unit.digits) === 0n;
}

/** `digits` times ten to the `exponent`, without sign; digits that end in no zero, but for `0` itself. */
export function decimalOf(number: number): { readonly digits: string; readonly exponent: number } {
  const [, whole = "0", fraction = "", power = "0"] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number)) ?? [];
  const written = (whole + fraction).replace(/^0+(?=\d)/, "");
  // Not by a pattern: from each of the zeros further left, one would look for the end anew.
  let end = written.length;
  while (end > 1 && written[end - 1] === "0") end -= 1;
  const digits = written.slice(0, end);
  return { digits, exponent: Number(power) - fraction.length + written.length - digits.length };
}
