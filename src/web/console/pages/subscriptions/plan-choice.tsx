import type { Plan } from "../../../../client/index.ts";
import { includedIn } from "../../../../lib/text/prices.ts";
import { Checkbox, SelectField } from "../../../components/field.tsx";

interface Props {
  plans: Plan[];
  /** External ids: the plan, then its add-ons. */
  chosen: string[];
  error: string | undefined;
  onChange: (chosen: string[]) => void;
}

/** Selects one plan; further plans are add-ons, whose limits are added. */
export function PlanChoice({ plans, chosen: [plan = "", ...addOns], error, onChange }: Props) {
  const others = plans.filter(({ planExternalId }) => planExternalId !== plan);
  const toggle = (id: string, isOn: boolean) =>
    onChange([plan, ...(isOn ? [...addOns, id] : addOns.filter((other) => other !== id))]);
  return (
    <>
      <SelectField
        label="Plan"
        options={[
          ...(plan === "" ? [{ value: "", label: "Choose a plan" }] : []),
          ...plans.map(({ planExternalId, label }) => ({
            value: planExternalId,
            label: `${label} (${planExternalId})`,
          })),
        ]}
        hint={plans.flatMap((each) => (each.planExternalId === plan ? includedIn(each) : [])).join(" · ")}
        value={plan}
        error={error}
        onChange={({ target: { value } }) => onChange([value, ...addOns.filter((other) => other !== value)])}
      />
      {plan !== "" && others.length > 0 && (
        <details className="fold" open={addOns.length > 0 || undefined}>
          <summary>Add-ons</summary>
          <fieldset className="choices choices-stacked">
            <legend className="visually-hidden">Add-ons</legend>
            {others.map((add) => (
              <Checkbox
                key={add.planExternalId}
                label={add.label}
                hint={[add.planExternalId, ...includedIn(add)].join(" · ")}
                checked={addOns.includes(add.planExternalId)}
                onChange={({ target }) => toggle(add.planExternalId, target.checked)}
              />
            ))}
          </fieldset>
        </details>
      )}
    </>
  );
}
