import { useNavigate } from "@tanstack/react-router";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { etagOf, type Plan } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import {
  bindForm,
  bindInput,
  Checkbox,
  FieldError,
  Labelled,
  SelectField,
  TextField,
} from "../../../components/field.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { formatFee } from "../../../lib/format.ts";
import { command } from "../../../lib/shell.ts";
import { ExternalIdField, externalIdOf } from "../../components/external-id.tsx";
import { defaultBucket, useChosenKeyBucket } from "../../queries/buckets.tsx";
import { useSession } from "../../queries/session.tsx";
import { EditDialog } from "../../shell/edit-dialog.tsx";
import { CallDialog, CopyAs, useCall } from "../../shell/requests.tsx";
import { Affected } from "./affected.tsx";
import { LackingMeters, useMetersInUse } from "./plan-meters.tsx";
import { PriceFields } from "./price-fields.tsx";
import {
  type PriceForm,
  pricedOf,
  priceForm,
  type RateForm,
  type RolloverForm,
  rateForm,
  ratesOf,
  rolloverForm,
  rolloverOf,
} from "./price-form.ts";
import { RateFields } from "./rate-fields.tsx";
import { RolloverFields } from "./rollover-fields.tsx";
import { EffectOnCustomers, useSimulate } from "./simulated.tsx";
import { SubscriberView } from "./subscriber-view.tsx";

interface MeterRow {
  id: number;
  name: string;
  label: string;
  max: string;
  rate: RateForm;
  rollover: RolloverForm;
}

/** Plans are in a metering bucket. The first plan creates one. */
const firstBucket = "main";

let nextId = 1;

const rowsOf = (plan: Plan | undefined): MeterRow[] =>
  plan
    ? Object.entries(plan.meters).map(([name, { label = "", max }]) => ({
        id: nextId++,
        name,
        label,
        max: String(max),
        rate: rateForm(plan.rates?.[name]),
        rollover: rolloverForm(plan.rollover?.[name]),
      }))
    : [newRow("requests", "Requests", "1000")];

const newRow = (name = "", label = "", max = ""): MeterRow => ({
  id: nextId++,
  name,
  label,
  max,
  rate: rateForm(undefined),
  rollover: rolloverForm(undefined),
});

const formOf = (plan: Plan | undefined) => ({
  label: plan?.label ?? "",
  planExternalId: plan?.planExternalId ?? "",
  trialDays: plan?.trialDays === undefined ? "" : String(plan.trialDays),
  trialEndStatus: plan?.trialEndStatus ?? "",
  isTrialCollectPayment: plan?.isTrialCollectPayment ?? false,
  price: priceForm(plan),
});

type Form = ReturnType<typeof formOf>;

const idOf = ({ planExternalId, label }: Form) => externalIdOf(planExternalId, label, "plan");

function trialOf({ trialDays, trialEndStatus }: Form) {
  return {
    trialDays: trialDays === "" ? null : Number(trialDays),
    trialEndStatus: trialEndStatus === "" ? null : (trialEndStatus as "paused" | "canceled"),
  };
}

function inputOf(form: Form, meters: MeterRow[]) {
  const { trialDays, trialEndStatus } = trialOf(form);
  return {
    label: form.label,
    planExternalId: idOf(form),
    meters: metersOf(meters),
    ...(trialDays === null ? {} : { trialDays }),
    ...(trialEndStatus === null ? {} : { trialEndStatus }),
    ...(form.isTrialCollectPayment ? { isTrialCollectPayment: true } : {}),
    ...Object.fromEntries(pricedEntries(form, meters).filter(([, value]) => value !== undefined)),
  };
}

function pricedEntries(form: Form, meters: MeterRow[]) {
  return Object.entries({ ...pricedOf(form.price), rates: ratesOf(meters), rollover: rolloverOf(meters) });
}

function changesOf(form: Form, meters: MeterRow[]) {
  const { label, isTrialCollectPayment } = form;
  const planExternalId = idOf(form);
  const trial = { ...trialOf(form), isTrialCollectPayment: isTrialCollectPayment || null };
  const priced = pricedEntries(form, meters).map(([name, value]) => [name, value ?? null]);
  return { label, planExternalId, meters: metersOf(meters), ...trial, ...Object.fromEntries(priced) };
}

function commandOf(bucket: string, form: Form, meters: MeterRow[], plan: Plan | undefined): string {
  const options = [
    ...["--bucket", bucket, "--label", form.label],
    ...meters.flatMap(({ name, max }) => (name === "" ? [] : ["--meter", `${name}=${max}`])),
    ...meters.flatMap(({ name, label }) => (name === "" || label === "" ? [] : ["--meter-label", `${name}=${label}`])),
    ...(form.trialDays === "" ? [] : ["--trial-days", form.trialDays]),
    ...(form.trialEndStatus === "" ? [] : ["--trial-end", form.trialEndStatus]),
    ...(form.price.amount === ""
      ? []
      : ["--price", form.price.amount, "--currency", form.price.currency, "--interval", form.price.interval]),
    ...(ratesOf(meters) === undefined ? [] : ["--rates", "rates.json"]),
    ...Object.entries(rolloverOf(meters) ?? {}).flatMap(([name, { maximum, periods = 1 }]) => [
      "--rollover",
      `${name}=${maximum},${periods}`,
    ]),
    ...(form.price.description === "" ? [] : ["--description", form.price.description]),
    ...(form.price.isPublic ? ["--public", "true"] : []),
  ];
  return plan
    ? command("plans", "update", plan.id, "--external-id", idOf(form), ...options)
    : command("plans", "create", idOf(form), ...options);
}

/** What the form changes of the terms of a plan, as simulations take it. */
function simulatedTerms(plan: Plan, form: Form, meters: MeterRow[]) {
  const termsOf = (form: Form, meters: MeterRow[]) => {
    const { price, features = null } = pricedOf(form.price);
    const [rates = null, rollover = null] = [ratesOf(meters), rolloverOf(meters)];
    return Object.entries({ ...(price && { price }), meters: metersOf(meters), rates, rollover, features });
  };
  const stored = Object.fromEntries(termsOf(formOf(plan), rowsOf(plan)));
  const isChanged = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(stored[name]);
  return Object.fromEntries(termsOf(form, meters).filter(isChanged));
}

/** Simulates other terms of one of the plans for past usage. */
export function SimulatePlan({ bucket, plans, onClose }: { bucket: string; plans: Plan[]; onClose: () => void }) {
  const navigate = useNavigate();
  const [plan, setPlan] = useState(plans[0]!);
  const [form, setForm] = useState(() => ({ ...formOf(plan), days: "90" }));
  const [meters, setMeters] = useState(() => rowsOf(plan));
  const inUse = useMetersInUse(bucket);
  const simulate = useSimulate(bucket, Number(form.days), {
    plans: { [plan.planExternalId]: simulatedTerms(plan, form, meters) },
    onStarted: (ids) => void navigate({ to: "/plans/simulations/$ids", params: { ids }, search: { bucket } }),
  });
  const { errors } = simulate;
  const shared = { isPriced: form.price.amount !== "", inUse, errors };
  const choose = (id: string) => {
    const chosen = plans.find((each) => each.id === id)!;
    setPlan(chosen);
    setForm({ ...formOf(chosen), days: form.days });
    setMeters(rowsOf(chosen));
  };
  return (
    <CallDialog title="New simulation" isWide of={simulate} submit="Simulate" onClose={onClose}>
      <SelectField
        label="Plan"
        hint="What its subscribers would have been billed with another price, rate or limit. Nothing is changed."
        options={plans.map(({ id: value, label }) => ({ value, label }))}
        {...bindInput(plan.id, choose)}
      />
      <SelectField
        label="Periods of the last"
        options={["30", "90", "180", "365"].map((value) => ({ value, label: `${value} days` }))}
        {...bindForm(form, setForm, errors).field("days")}
      />
      <PriceFields form={form.price} errors={errors} isFixed onChange={(price) => setForm({ ...form, price })} />
      <MetersEditor {...shared} meters={meters} onChange={setMeters} />
    </CallDialog>
  );
}

/** Creates or changes a plan. A concurrent change is a conflict. */
export function PlanForm({ bucket: given, plan, onClose }: { bucket?: string; plan?: Plan; onClose: () => void }) {
  const { api } = useSession();
  const { names } = useChosenKeyBucket(undefined);
  const [before, setBefore] = useState(plan);
  const [created, setCreated] = useState<string>();
  const bucket = given ?? created ?? firstBucket;
  const [form, setForm] = useState(() => formOf(plan));
  const [meters, setMeters] = useState(() => rowsOf(plan));
  const inUse = useMetersInUse(given ?? created);
  const createBucket = async (): Promise<string> => {
    // With several key buckets, the account decides later whose consumers are its customers.
    const keyBucket = (names?.length ?? 0) > 1 ? undefined : (names?.[0] ?? defaultBucket);
    const { id } = await api.metering.create({ name: firstBucket, keyBucket });
    // The plan itself may be rejected, and saved later.
    setCreated(id);
    return id;
  };
  const save = useCall({
    call: async (api, base: Plan | undefined) => {
      requireNumbers(meters);
      if (base) return api.plans(bucket).update(base.id, changesOf(form, meters), { ifMatch: etagOf(base) });
      const into = given ?? created ?? (await createBucket());
      return api.plans(into).create(inputOf(form, meters));
    },
    done: ({ label }) => `Plan ${label} ${before ? "saved" : "created"}`,
    onSuccess: onClose,
  });
  const { field, checkbox } = bindForm(form, setForm, save.errors);
  return (
    <EditDialog
      title={before ? `Edit ${before.label}` : "Create plan"}
      isWide
      save={save}
      before={before}
      onBefore={setBefore}
      submit={before ? "Save plan" : "Create plan"}
      load={() => api.plans(bucket).get(plan!.id)}
      fields={(theirs) => [
        { label: "Label", theirs: theirs.label, mine: form.label },
        { label: "External id", theirs: theirs.planExternalId, mine: idOf(form) },
        { label: "Meters", theirs: theirs.meters, mine: metersOf(meters) },
        { label: "Trial days", theirs: theirs.trialDays, mine: form.trialDays },
        { label: "Then", theirs: theirs.trialEndStatus, mine: form.trialEndStatus },
        { label: "Price", theirs: theirs.price && formatFee(theirs.price), mine: feeOf(form.price) },
        { label: "Rates", theirs: theirs.rates, mine: ratesOf(meters) },
        { label: "Carried over", theirs: theirs.rollover, mine: rolloverOf(meters) },
        { label: "Description", theirs: theirs.description, mine: form.price.description },
        { label: "Features", theirs: theirs.features, mine: pricedOf(form.price).features },
        { label: "In the portal", theirs: theirs.isPublic ?? false, mine: form.price.isPublic },
      ]}
      onTheirs={(theirs) => {
        setForm(formOf(theirs));
        setMeters(rowsOf(theirs));
      }}
      onClose={onClose}
      footStart={
        <CopyAs
          call={(api) => {
            const plans = api.plans(bucket);
            return plan ? plans.update(plan.id, changesOf(form, meters)) : plans.create(inputOf(form, meters));
          }}
          command={commandOf(bucket, form, meters, plan)}
        />
      }
    >
      <div className="form-grid">
        <TextField label="Label" isWide placeholder="Gold" hint="Customers see this name." {...field("label")} />
      </div>
      <PriceFields
        form={form.price}
        errors={save.errors}
        isFixed={Boolean(before?.hasSubscriptions && before.price)}
        onChange={(price) => setForm({ ...form, price })}
      />
      <MetersEditor
        meters={meters}
        inUse={inUse}
        onChange={setMeters}
        errors={save.errors}
        isPriced={form.price.amount !== ""}
      />
      {before && <Affected bucket={bucket} plan={before} limits={limitsOf(meters)} />}
      {before?.hasSubscriptions && (
        <EffectOnCustomers bucket={bucket} plan={before} terms={simulatedTerms(before, form, meters)} />
      )}
      <details className="fold" open={Boolean(plan?.trialDays)}>
        <summary>Trial</summary>
        <div className="form-grid">
          <TextField label="Days" type="number" min={0} isOptional {...field("trialDays")} />
          <SelectField
            label="When it ends, the subscription is"
            options={[
              { value: "", label: "active" },
              { value: "paused", label: "paused" },
              { value: "canceled", label: "canceled" },
            ]}
            {...field("trialEndStatus")}
          />
          <div className="wide">
            <Checkbox label="Payment details are collected for the trial" {...checkbox("isTrialCollectPayment")} />
          </div>
        </div>
      </details>
      <ExternalIdField
        placeholder={idOf(form)}
        hint="Names the plan in the API and the CLI. By default it is made from the label; set it if your billing system has an id for the plan."
        {...field("planExternalId")}
      />
      <SubscriberView {...form} meters={meters} />
    </EditDialog>
  );
}

function feeOf(form: PriceForm): string | undefined {
  const { price } = pricedOf(form);
  return price && formatFee(price);
}

/** Undefined if the text is not a number. */
function limitsOf(rows: MeterRow[]): Record<string, number | undefined> {
  const named = rows.filter(({ name }) => name !== "");
  return Object.fromEntries(
    named.map(({ name, max }) => [name, max.trim() === "" || Number.isNaN(Number(max)) ? undefined : Number(max)]),
  );
}

/** A limit that is not a number counts as none; saving requires numbers. */
function metersOf(rows: MeterRow[]) {
  const limits = limitsOf(rows);
  return Object.fromEntries(
    rows
      .filter(({ name }) => name !== "")
      .map(({ name, label }) => [name, { max: limits[name] ?? Number.NaN, ...(label ? { label } : {}) }]),
  );
}

function requireNumbers(rows: MeterRow[]): void {
  const bad = Object.entries(limitsOf(rows)).find(([, limit]) => limit === undefined);
  if (bad) throw new Error(`The limit of ${bad[0]} must be a number.`);
}

interface MetersEditorProps {
  meters: MeterRow[];
  inUse: ReturnType<typeof useMetersInUse>;
  /** Usage can be billed only by a plan with a price, which may be 0. */
  isPriced: boolean;
  onChange: (rows: MeterRow[]) => void;
  errors: Record<string, string>;
}

function MetersEditor({ meters, inUse, onChange, errors, isPriced }: MetersEditorProps) {
  const change = (id: number, part: Partial<MeterRow>) =>
    onChange(meters.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const whole = errors["/meters"];
  return (
    <div className="field">
      <span className="field-label">Meters</span>
      <div className="pairs">
        {meters.map((row, index) => {
          const error = row.name ? errorAt(errors, `/meters/${row.name}`) : undefined;
          return (
            <div key={row.id} className="stack stack-tight">
              <div className="pair pair-3">
                <Labelled label="Meter">
                  <input
                    className="input mono"
                    aria-label={`Meter ${index + 1} name`}
                    placeholder="requests"
                    list={`meters-${row.id}`}
                    value={row.name}
                    onChange={(event) => change(row.id, { name: event.target.value })}
                    aria-invalid={error !== undefined}
                  />
                  <datalist id={`meters-${row.id}`}>
                    {[...inUse].map(([name, { label }]) => (
                      <option key={name} value={name}>
                        {label}
                      </option>
                    ))}
                  </datalist>
                </Labelled>
                <Labelled label="Label">
                  <input
                    className="input"
                    aria-label={`Meter ${index + 1} label`}
                    placeholder="Requests"
                    value={row.label}
                    onChange={(event) => change(row.id, { label: event.target.value })}
                  />
                </Labelled>
                <Labelled label="Included">
                  <input
                    className="input number"
                    aria-label={`Meter ${index + 1} limit`}
                    placeholder="1000"
                    inputMode="decimal"
                    value={row.max}
                    onChange={(event) => change(row.id, { max: event.target.value })}
                  />
                </Labelled>
                <Button
                  icon={X}
                  kind="quiet"
                  isIcon
                  aria-label={`Remove meter ${index + 1}`}
                  onClick={() => onChange(meters.filter(({ id }) => id !== row.id))}
                />
              </div>
              <FieldError error={error} />
              {(isPriced || row.rate.overage !== "block") && (
                <RateFields
                  meter={row.name || `meter ${index + 1}`}
                  rate={row.rate}
                  errors={errors}
                  onChange={(rate) => change(row.id, { rate })}
                />
              )}
              {(isPriced || row.rollover.maximum !== "") && (
                <RolloverFields
                  meter={row.name || `meter ${index + 1}`}
                  rollover={row.rollover}
                  errors={errors}
                  onChange={(rollover) => change(row.id, { rollover })}
                />
              )}
            </div>
          );
        })}
        <FieldError error={whole} />
        <LackingMeters
          inUse={inUse}
          names={meters.map(({ name }) => name)}
          onAdd={(name, label) => onChange([...meters, newRow(name, label)])}
        />
        <div>
          <Button isSmall onClick={() => onChange([...meters, newRow()])}>
            <Plus size={14} aria-hidden />
            Add meter
          </Button>
        </div>
      </div>
      <p className="field-hint">
        What is counted, its display name, and how much is included in each period. Changes apply to all subscribers
        immediately.
      </p>
    </div>
  );
}
