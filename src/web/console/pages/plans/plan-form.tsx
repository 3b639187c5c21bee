import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { etagOf, type Plan, type PlanUpdate, type Tollgate } from "../../../../client/index.ts";
import { bindInput, Checkbox, optionsOf, SelectField, TextField } from "../../../components/field.tsx";
import { formatFee } from "../../../lib/format.ts";
import { command } from "../../../lib/shell.ts";
import { ExternalIdField, externalIdOf } from "../../components/external-id.tsx";
import { defaultBucket, useChosenKeyBucket } from "../../queries/buckets.tsx";
import { EditDialog, useEdit } from "../../shell/edit-dialog.tsx";
import { CallDialog, CopyAs } from "../../shell/requests.tsx";
import { Affected } from "./affected.tsx";
import { MeterFields } from "./meter-fields.tsx";
import { PriceFields } from "./price-fields.tsx";
import {
  emptyMeter,
  limitsOf,
  type MeterForm,
  meterForms,
  metersOf,
  type PriceForm,
  pricedOf,
  priceForm,
  ratesOf,
  rolloverOf,
} from "./price-form.ts";
import { EffectOnCustomers, useSimulate } from "./simulated.tsx";
import { SubscriberView } from "./subscriber-view.tsx";

/** Plans are in a metering bucket. The first plan creates one. */
const firstBucket = "main";

const firstMeter = { ...emptyMeter, name: "requests", label: "Requests", max: "1000" };

const formOf = (plan: Plan | undefined) => ({
  label: plan?.label ?? "",
  planExternalId: plan?.planExternalId ?? "",
  trialDays: plan?.trialDays === undefined ? "" : String(plan.trialDays),
  trialEndStatus: plan?.trialEndStatus ?? "",
  isTrialCollectPayment: plan?.isTrialCollectPayment ?? false,
  price: priceForm(plan),
  meters: plan ? meterForms(plan) : [firstMeter],
});

type Form = ReturnType<typeof formOf>;

const idOf = ({ planExternalId, label }: Form) => externalIdOf(planExternalId, label, "plan");

/** A new plan leaves out what is undefined. */
const inputOf = (form: Form) => ({
  label: form.label,
  planExternalId: idOf(form),
  meters: metersOf(form.meters),
  trialDays: form.trialDays === "" ? undefined : Number(form.trialDays),
  trialEndStatus: (form.trialEndStatus || undefined) as "paused" | "canceled" | undefined,
  isTrialCollectPayment: form.isTrialCollectPayment || undefined,
  ...pricedOf(form.price),
  rates: ratesOf(form.meters),
  rollover: rolloverOf(form.meters),
});

/** A change removes what a new plan leaves out. */
function changesOf(form: Form): PlanUpdate {
  const { label, planExternalId, meters, ...optional } = inputOf(form);
  const changes = Object.entries(optional).map(([name, value]) => [name, value ?? null]);
  return { label, planExternalId, meters, ...Object.fromEntries(changes) };
}

function commandOf(bucket: string, form: Form, plan: Plan | undefined): string {
  const { meters } = form;
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
function simulatedTerms(plan: Plan, form: Form) {
  const termsOf = ({ meters, ...form }: Form) => {
    const { price, features = null } = pricedOf(form.price);
    const [rates = null, rollover = null] = [ratesOf(meters), rolloverOf(meters)];
    return Object.entries({ ...(price && { price }), meters: metersOf(meters), rates, rollover, features });
  };
  const stored = Object.fromEntries(termsOf(formOf(plan)));
  const isChanged = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(stored[name]);
  return Object.fromEntries(termsOf(form).filter(isChanged));
}

/** Simulates other terms of one of the plans for past usage. */
export function SimulatePlan({ bucket, plans, onClose }: { bucket: string; plans: Plan[]; onClose: () => void }) {
  const navigate = useNavigate();
  const [plan, setPlan] = useState(plans[0]!);
  const [days, setDays] = useState("90");
  const [form, setForm] = useState(() => formOf(plan));
  const simulate = useSimulate(bucket, Number(days), {
    plans: { [plan.planExternalId]: simulatedTerms(plan, form) },
    onStarted: (ids) => void navigate({ to: "/plans/simulations/$ids", params: { ids }, search: { bucket } }),
  });
  const choose = (id: string) => {
    const chosen = plans.find((each) => each.id === id)!;
    setPlan(chosen);
    setForm(formOf(chosen));
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
        {...bindInput(days, setDays)}
      />
      <PriceFields form={form} errors={simulate.errors} isFixed onChange={setForm} />
      <MeterFields bucket={bucket} form={form} errors={simulate.errors} onChange={setForm} />
    </CallDialog>
  );
}

/** Creates or changes a plan. A concurrent change is a conflict. */
export function PlanForm({ bucket: given, plan, onClose }: { bucket?: string; plan?: Plan; onClose: () => void }) {
  const { names } = useChosenKeyBucket(undefined);
  const [created, setCreated] = useState<string>();
  const bucket = given ?? created ?? firstBucket;
  const createBucket = async (api: Tollgate): Promise<string> => {
    // With several key buckets, the account decides later whose consumers are its customers.
    const keyBucket = (names?.length ?? 0) > 1 ? undefined : (names?.[0] ?? defaultBucket);
    const { id } = await api.metering.create({ name: firstBucket, keyBucket });
    // The plan itself may be rejected, and saved later.
    setCreated(id);
    return id;
  };
  const { form, setForm, before, errors, dialog, field, checkbox } = useEdit({
    of: plan,
    formOf,
    load: (api) => api.plans(bucket).get(plan!.id),
    call: async (api, base, form) => {
      requireNumbers(form.meters);
      if (base) return api.plans(bucket).update(base.id, changesOf(form), { ifMatch: etagOf(base) });
      return api.plans(given ?? created ?? (await createBucket(api))).create(inputOf(form));
    },
    done: ({ label }) => `Plan ${label} ${plan ? "saved" : "created"}`,
    onClose,
  });
  return (
    <EditDialog
      {...dialog}
      title={before ? `Edit ${before.label}` : "Create plan"}
      isWide
      submit={before ? "Save plan" : "Create plan"}
      fields={(theirs) => [
        { label: "Label", theirs: theirs.label, mine: form.label },
        { label: "External id", theirs: theirs.planExternalId, mine: idOf(form) },
        { label: "Meters", theirs: theirs.meters, mine: metersOf(form.meters) },
        { label: "Trial days", theirs: theirs.trialDays, mine: form.trialDays },
        { label: "Then", theirs: theirs.trialEndStatus, mine: form.trialEndStatus },
        { label: "Price", theirs: theirs.price && formatFee(theirs.price), mine: feeOf(form.price) },
        { label: "Rates", theirs: theirs.rates, mine: ratesOf(form.meters) },
        { label: "Carried over", theirs: theirs.rollover, mine: rolloverOf(form.meters) },
        { label: "Description", theirs: theirs.description, mine: form.price.description },
        { label: "Features", theirs: theirs.features, mine: pricedOf(form.price).features },
        { label: "In the portal", theirs: theirs.isPublic ?? false, mine: form.price.isPublic },
      ]}
      footStart={
        <CopyAs
          call={(api) => {
            const plans = api.plans(bucket);
            return plan ? plans.update(plan.id, changesOf(form)) : plans.create(inputOf(form));
          }}
          command={commandOf(bucket, form, plan)}
        />
      }
    >
      <div className="form-grid">
        <TextField label="Label" isWide placeholder="Gold" hint="Customers see this name." {...field("label")} />
      </div>
      <PriceFields
        form={form}
        errors={errors}
        isFixed={Boolean(before?.hasSubscriptions && before.price)}
        onChange={setForm}
      />
      <MeterFields bucket={given ?? created} form={form} errors={errors} onChange={setForm} />
      {before && <Affected bucket={bucket} plan={before} limits={limitsOf(form.meters)} />}
      {before?.hasSubscriptions && (
        <EffectOnCustomers bucket={bucket} plan={before} terms={simulatedTerms(before, form)} />
      )}
      <details className="fold" open={Boolean(plan?.trialDays)}>
        <summary>Trial</summary>
        <div className="form-grid">
          <TextField label="Days" type="number" min={0} isOptional {...field("trialDays")} />
          <SelectField
            label="When it ends, the subscription is"
            options={optionsOf({ "": "active", paused: "paused", canceled: "canceled" })}
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
      <SubscriberView {...form} />
    </EditDialog>
  );
}

function feeOf(form: PriceForm): string | undefined {
  const { price } = pricedOf(form);
  return price && formatFee(price);
}

function requireNumbers(rows: MeterForm[]): void {
  const bad = Object.entries(limitsOf(rows)).find(([, limit]) => limit === undefined);
  if (bad) throw new Error(`The limit of ${bad[0]} must be a number.`);
}
