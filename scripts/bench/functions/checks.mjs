// What the servers written by hand check of inputs, outputs and documents of functions: the schemas of config/functions.
import Ajv from "ajv/dist/2020.js";
import { HttpError } from "../handwritten-http.mjs";

const ajv = new Ajv({ allErrors: true });

function checkOf(properties) {
  const required = Object.keys(properties);
  const validate = ajv.compile({ type: "object", properties, required, additionalProperties: false });
  return (value) => {
    if (!validate(value)) throw new HttpError(400, "validation_error", ajv.errorsText(validate.errors));
  };
}

const id = { type: "string", minLength: 1, maxLength: 40 };
export const checkTake = checkOf({ id, amount: { type: "integer", minimum: 1, maximum: 100 } });
export const checkTaken = checkOf({ stock: { type: "integer" } });
export const checkReceipt = checkOf({
  of: { type: "string", maxLength: 40 },
  sent: { type: "number" },
});
export const checkOrder = checkOf({ sent: { type: "number" }, note: { type: "string", maxLength: 2000 } });
