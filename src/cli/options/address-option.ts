import type { BillingProfileInput } from "../../client/index.ts";
import type { Option } from "../arguments/command.ts";
import { pairsOption } from "../arguments/values.ts";
import { UsageError } from "../process/usage-error.ts";

type Address = BillingProfileInput["address"];

const parts = ["line1", "line2", "postalCode", "city", "state", "country"];

export const addressOption = {
  address: pairsOption(
    `a part of the address: ${parts.join(", ")}; may be repeated, and replaces the address`,
    "PART=TEXT",
    String,
  ) as Option<Record<string, string> | undefined>,
};

/** The address as the API takes it, which validates it; undefined if absent. */
export function addressOf(given: Record<string, string> | undefined): Address | undefined {
  const unknown = Object.keys(given ?? {}).find((part) => !parts.includes(part));
  if (unknown !== undefined) throw new UsageError(`An address has no "${unknown}".`, `Its parts: ${parts.join(", ")}`);
  return given as Address | undefined;
}
