import { migrate } from "realmc/migrations";
import type { From0001 as From, To0001 as To } from "./$types.ts";

/** Addresses were one line, `Street 1, Town, DE`, and credit was given in euros. */
export default migrate<From, To>({
  forward: ({ address, credit_limit: euros, ...rest }) => {
    const [, street, city, country] = /^(.+), ([^,]+), ([A-Z]{2})$/.exec(address ?? "") ?? [];
    if (address !== undefined && country === undefined)
      throw new Error("the address names no street, town and country");
    return {
      ...rest,
      ...(euros === undefined ? {} : { credit_limit: Math.round(euros * 100) }),
      ...(street && city && country ? { address: { street, city, country } } : {}),
    };
  },
  back: ({ address, credit_limit: cents, ...rest }) => ({
    ...rest,
    ...(cents === undefined ? {} : { credit_limit: cents / 100 }),
    ...(address === undefined ? {} : { address: oneLine(address) }),
  }),
});

function oneLine({ street, city, country }: NonNullable<To["address"]>): string {
  return [street, city, country].filter((part) => part !== undefined).join(", ");
}
