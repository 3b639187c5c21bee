import { currencyCodes } from "../../../../lib/text/currency-codes.ts";
import type { Option } from "../../../components/field.tsx";

const common = ["EUR", "USD", "GBP", "CHF", "JPY", "CAD", "AUD", "INR"];

/** Every accepted currency with its name, the common ones first. */
export function currencyOptions(): Option[] {
  const names = new Intl.DisplayNames("en", { type: "currency" });
  const codes = Object.values(currencyCodes).flatMap((group) => group.split(/\s+/));
  return [...new Set([...common, ...codes.sort()])].map((code) => {
    const name = names.of(code);
    return { value: code, label: name === undefined || name === code ? code : `${code} · ${name}` };
  });
}
