import { Checkbox, FieldError } from "../../../components/field.tsx";
import { eventGroups } from "./event-types.ts";

/** Selects the events of a webhook: all, all of a resource, or single types. */
export function EventsField({
  value,
  onChange,
  error,
}: {
  /** Patterns: `*`, `key.*`, `key.rolled`. */
  value: string[];
  onChange: (patterns: string[]) => void;
  error: string | undefined;
}) {
  const isOn = (pattern: string) => value.includes(pattern);
  const toggle = (pattern: string, covered: (other: string) => boolean) =>
    onChange(
      isOn(pattern)
        ? value.filter((other) => other !== pattern)
        : [...value.filter((other) => !covered(other)), pattern],
    );
  const isAll = isOn("*");
  return (
    <fieldset className="events">
      <legend className="field-label">Events</legend>
      <FieldError error={error} />
      <Checkbox
        label="All events, including those added in later versions"
        checked={isAll}
        onChange={() => toggle("*", () => true)}
      />
      {!isAll &&
        eventGroups.map(({ resource, types }) => {
          const pattern = `${resource}.*`;
          const isWhole = isOn(pattern);
          return (
            <div className="events-group" key={resource}>
              {types.length > 1 && (
                <Checkbox
                  label={`All of ${resource}`}
                  checked={isWhole}
                  onChange={() => toggle(pattern, (other) => other.startsWith(`${resource}.`))}
                />
              )}
              {types.map(({ type, meaning }) => (
                <Checkbox
                  key={type}
                  label={type}
                  hint={meaning}
                  checked={isWhole || isOn(type)}
                  disabled={isWhole}
                  onChange={() => toggle(type, () => false)}
                />
              ))}
            </div>
          );
        })}
    </fieldset>
  );
}
