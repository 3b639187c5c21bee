import { named, optionOr, tagFilterOption } from "../arguments/values.ts";

/** Selects the key bucket. The documents call the first one `main`. */
export const bucketOption = { bucket: optionOr("the key bucket", "main", named("NAME")) };

/** Options of commands about one consumer. */
export const consumerOptions = {
  ...bucketOption,
  ifTag: tagFilterOption("only if the consumer has this tag; otherwise it is not found"),
};
