/** Regions that are no countries: unions, test codes and small islands that belong to others. */
const others = new Set(["AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "ZZ"]);
const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** The countries of ISO 3166 by their names in English, as options of a select. */
export function countryOptions(): { value: string; label: string }[] {
  const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  return codes
    .flatMap((value) => {
      const label = names.of(value);
      // A former country is another one today.
      const isCurrent = label !== undefined && new Intl.Locale(`und-${value}`).region === value;
      return isCurrent && !others.has(value) ? [{ value, label }] : [];
    })
    .sort((one, other) => one.label.localeCompare(other.label, "en"));
}
