import type { z } from "zod";
import type { CsvCell } from "../lib/text/csv.ts";
import { splitTarget } from "../platform/http1/message/target.ts";
import { csvResponse, prefersCsv } from "./csv.ts";
import { type ListDefinition, list, type Operation } from "./endpoint.ts";
import { nextPageLink } from "./response.ts";

/** The columns of a table, by their names. */
export type CsvColumns<Item> = Record<string, (item: Item) => CsvCell>;

/** A list that is also CSV, if the Accept header prefers it. */
export function csvList<Path extends string, Query extends z.ZodObject, Item extends z.ZodType>({
  csv,
  ...definition
}: ListDefinition<Path, Query, Item> & { csv: CsvColumns<z.input<Item>> }): Operation {
  return {
    ...list(definition),
    otherTypes: ["text/csv"],
    run: {
      kind: "stream",
      handle: async (input, request) => {
        const { data, total } = await definition.handle(input);
        const { limit, offset } = input.query;
        // Only lists of hot paths are serialized in advance.
        const page = { data: data as z.input<Item>[], limit, offset, total };
        if (!prefersCsv(request)) return { body: page };
        const rows = page.data.values().map((each) => Object.values(csv).map((cell) => cell(each)));
        return csvResponse(Object.keys(csv), rows, nextPageLink(splitTarget(request.target), page));
      },
    },
  };
}
