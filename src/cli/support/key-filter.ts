import type { KeyWhere } from "../../client/index.ts";
import type { Option } from "./command.ts";
import { UsageError } from "./usage-error.ts";
import { boolean, option, pastTime, tagsOption, time } from "./values.ts";

/** Which keys of a bucket a list shows. */
export const keyFilterOptions = {
  unusedSince: option("only keys not used since, such as 90d ago", pastTime),
  neverUsed: option("only keys that were never used, or that were", boolean),
  expiresBefore: option("only keys that end before, such as 7d from now", time),
  createdBefore: option("only keys made before, such as 365d ago", pastTime),
  enabled: option("only keys that are enabled, or that are not", boolean),
  permission: option("only keys with this permission"),
  suffix: option("only keys that end so: at most 8 characters"),
  tag: tagsOption("only keys of consumers with this tag"),
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

/** `--where unused-since=90d --where tag.plan=free`; undefined where none is given. */
export const whereOption: Option<KeyWhere | undefined> = {
  help: `a condition: ${Object.keys(parsers).join(", ")} or tag.NAME; may be repeated, all must hold`,
  placeholder: "NAME=VALUE",
  read(given) {
    if (given.length === 0) return undefined;
    return Object.fromEntries(
      given.map((text) => {
        const middle = text.indexOf("=");
        const name = text.slice(0, Math.max(0, middle));
        const isTag = name.startsWith("tag.") && name.length > 4;
        if (!isTag && !Object.hasOwn(parsers, name))
          throw new UsageError(
            `must be NAME=VALUE with a name of ${Object.keys(parsers).join(", ")} or tag.NAME, not "${text}"`,
          );
        const value = text.slice(middle + 1);
        return [name, isTag ? value : parsers[name]!(value)];
      }),
    );
  },
};
