/** `DELETE …/_files/{field}/{file}`: the document names the file no longer; its bytes go with the sweep. */
import { requireWrite } from "../documents/access.ts";
import type { Target } from "../documents/writes/existing.ts";
import { ApiError } from "../errors.ts";
import { conditionOf } from "../http/etag.ts";
import { parameters } from "../http/parameters.ts";
import type { Answer, Exchange } from "../realm/exchange.ts";
import { changeFiles } from "./change.ts";
import { noSuchFile } from "./errors.ts";
import type { Place } from "./place.ts";

export function removeFrom(place: Place): (exchange: Exchange) => Promise<Answer> {
  const { definition, collection, entrance } = place;
  return async (exchange) => {
    const access = await entrance.writer(exchange);
    requireWrite(definition, access, "update");
    parameters(exchange.search, []);
    const { id = "", file: unwanted } = exchange.params;
    const target: Target = { id, visibility: "live", condition: conditionOf(exchange.headers) };
    const document = await changeFiles(place, access, target, (held) => {
      const file = held.find((each) => each.id === unwanted);
      if (file === undefined) throw noSuchFile();
      if (place.field.required === true && held.length === 1) throw needed(place.field.name);
      return { action: "remove_file", file, files: held.filter((each) => each !== file) };
    });
    return { status: 204, headers: { etag: collection.view(access, document).tag } };
  };
}

function needed(path: string): ApiError {
  return new ApiError("validation_error", "The document needs a file there.", {
    details: [{ path, reason: `is required: exchange the file by POST …/_files/${path}?replace=true` }],
  });
}
