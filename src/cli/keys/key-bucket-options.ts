import { named, optionOr, tagFilterOption } from "../arguments/values.ts";

/** Which key bucket. `main` is what the first one is called everywhere in these documents. */
export const bucketOption = { bucket: optionOr("the key bucket", "main", named("NAME")) };

/** Of commands about one consumer. */
export const consumerOptions = {
  ...bucketOption,
  ifTag: tagFilterOption("only if the consumer has this tag; else it is not found"),
};
