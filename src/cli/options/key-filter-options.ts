import type { KeyWhere } from "../../client/index.ts";
import type { Option } from "../arguments/command.ts";
import { boolean, option, pastTime, tagFilterOption, time } from "../arguments/values.ts";
import { whereOption } from "./where-option.ts";

/** The options that filter the keys of a bucket. */
export const keyFilterOptions = {
  unusedSince: option("only keys that were not used since this time, such as 90d ago", pastTime),
  neverUsed: option("only keys that were never used, or that were", boolean),
  expiresBefore: option("only keys that expire before this time, such as 7d from now", time),
  createdBefore: option("only keys that were created before this time, such as 365d ago", pastTime),
  enabled: option("only keys that are enabled, or that are not", boolean),
  permission: option("only keys with this permission"),
  suffix: option("only keys with these last characters, at most 8"),
  tag: tagFilterOption("only keys of consumers with this tag"),
};

const parsers: Record<string, (text: string) => string | boolean> = {
  "unused-since": pastTime.parse,
  "created-before": pastTime.parse,
  "expires-before": time.parse,
  "never-used": boolean.parse,
  enabled: boolean.parse,
  permission: (text) => text,
  suffix: (text) => text,
};

/** `--where unused-since=90d --where tag.plan=free`. */
export const keyWhereOption: Option<KeyWhere | undefined> = whereOption(parsers);
