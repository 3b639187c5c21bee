import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type BillingProfile, type BillingProfileInput, etagOf } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { bindForm, Checkbox, optionsOf, SelectField, TextArea, TextField } from "../../../components/field.tsx";
import { Form, FormSection, SaveBar } from "../../../components/form.tsx";
import { Rows } from "../../../components/rows.tsx";
import { countryOptions } from "../../../lib/countries.ts";
import { useSession } from "../../queries/session.tsx";
import { SaveError } from "../../shell/edit-dialog.tsx";
import { useCall } from "../../shell/requests.tsx";
import { AddressFields, addressForm, addressLines, addressOf } from "../billing/address.tsx";
import { PortalMails } from "./portal-mails.tsx";

type Rates = NonNullable<BillingProfile["taxRates"]>;

const rateLine = ({ name, percentage, country }: Rates[number]) =>
  [name, percentage, country].filter(Boolean).join(", ");

const formOf = (profile: BillingProfile | null) => ({
  legalName: profile?.legalName ?? "",
  taxId: profile?.taxId ?? "",
  numberPrefix: profile?.numberPrefix ?? "",
  termsDays: String(profile?.termsDays ?? 14),
  graceDays: String(profile?.graceDays ?? 3),
  taxRates: (profile?.taxRates ?? []).map(({ country = "", ...rate }) => ({ ...rate, country })),
  bankDetails: profile?.bankDetails ?? "",
  taxBehavior: profile?.taxBehavior ?? ("exclusive" as const),
  isRequired: profile?.buyerAddress === "required",
  mails: profile?.mails ?? {},
  address: addressForm(profile?.address),
});

type ProfileFields = ReturnType<typeof formOf>;

const taxedCountries = () => [{ value: "", label: "All countries" }, ...countryOptions()];

const behaviors = { exclusive: "Exclusive: tax is added", inclusive: "Inclusive: tax is contained" };

const ratesOf = (rows: ProfileFields["taxRates"]): Rates =>
  rows.map(({ country, ...rate }) => ({ ...rate, country: country || undefined }));

const inputOf = (form: ProfileFields): BillingProfileInput => ({
  legalName: form.legalName,
  address: { line1: "", country: "", ...addressOf(form.address) },
  numberPrefix: form.numberPrefix,
  termsDays: Number(form.termsDays),
  graceDays: Number(form.graceDays),
  taxBehavior: form.taxBehavior,
  buyerAddress: form.isRequired ? "required" : "optional",
  taxId: form.taxId || undefined,
  bankDetails: form.bankDetails || undefined,
  taxRates: form.taxRates.length === 0 ? undefined : ratesOf(form.taxRates),
  mails: Object.keys(form.mails).length === 0 ? undefined : form.mails,
});

/** The seller, and the terms of payment. A concurrent change is a conflict. */
export function ProfileForm({ profile }: { profile: BillingProfile | null }) {
  const { api, deniedBill } = useSession();
  const queries = useQueryClient();
  const [before, setBefore] = useState(profile);
  const [form, setForm] = useState(() => formOf(profile));
  const save = useCall({
    call: (api, base: BillingProfile | null) =>
      api.billing.setProfile(inputOf(form), base ? { ifMatch: etagOf(base) } : {}),
    done: "Billing profile saved",
    onSuccess: (saved) => {
      setBefore(saved);
      queries.setQueryData(["billing-profile"], saved);
    },
  });
  const errors = save.errors;
  const { field, checkbox } = bindForm(form, setForm, errors);
  return (
    <Form className="stack" aria-label="Billing profile" onSubmit={() => save.mutate(before)}>
      <SaveError
        save={save}
        onBefore={setBefore}
        load={() => api.billing.profile()}
        fields={(theirs) => [
          { label: "Legal name", theirs: theirs.legalName, mine: form.legalName },
          { label: "Address", theirs: addressLines(theirs.address), mine: addressLines(inputOf(form).address) },
          { label: "Tax id", theirs: theirs.taxId, mine: form.taxId },
          { label: "Number prefix", theirs: theirs.numberPrefix, mine: form.numberPrefix },
          { label: "Days to pay", theirs: String(theirs.termsDays), mine: form.termsDays },
          { label: "Days of grace", theirs: String(theirs.graceDays), mine: form.graceDays },
          { label: "Prices", theirs: behaviors[theirs.taxBehavior], mine: behaviors[form.taxBehavior] },
          { label: "Taxes", theirs: theirs.taxRates?.map(rateLine), mine: ratesOf(form.taxRates).map(rateLine) },
        ]}
        onTheirs={(theirs) => setForm(formOf(theirs))}
      />
      <FormSection title="Seller">
        <div className="form-grid">
          <TextField label="Legal name" placeholder="Weather GmbH" {...field("legalName")} />
          <TextField label="Tax id" isOptional isMono {...field("taxId")} />
        </div>
        <AddressFields address={form.address} errors={errors} onChange={(address) => setForm({ ...form, address })} />
      </FormSection>
      <FormSection title="Invoices">
        <div className="form-grid">
          <TextField
            label="Number prefix"
            isMono
            placeholder="W-"
            hint="Begins the number of each invoice. Numbers have no gaps."
            {...field("numberPrefix")}
          />
          <TextField
            label="Days to pay"
            inputMode="numeric"
            hint="From an invoice to its due date."
            {...field("termsDays")}
          />
          <TextField
            label="Days of grace"
            inputMode="numeric"
            hint="From a failed payment to the end of access."
            {...field("graceDays")}
          />
        </div>
        <TextArea
          label="Bank details"
          isOptional
          rows={2}
          hint="How to pay by bank transfer. Included in the mail of each invoice."
          {...field("bankDetails")}
        />
        <Checkbox label="Customers must enter a name and an address before they pay" {...checkbox("isRequired")} />
      </FormSection>
      <FormSection title="Taxes">
        <SelectField
          label="Prices"
          hint="Applies to new invoices. A customer who owes no tax pays an inclusive price less the tax."
          options={optionsOf(behaviors)}
          {...field("taxBehavior")}
        />
        <Rows
          legend="Rates"
          one="tax"
          rows={form.taxRates}
          empty={{ name: "", percentage: "", country: "" }}
          onChange={(taxRates) => setForm({ ...form, taxRates })}
        >
          {(rate, set, index) => {
            const { field: cell } = bindForm(rate, set, errors, { at: `/taxRates/${index}` });
            return (
              <>
                <TextField label="Tax" placeholder="VAT" {...cell("name")} />
                <TextField label="Percent" inputMode="decimal" placeholder="19" {...cell("percentage")} />
                <SelectField label="Customers in" options={taxedCountries()} {...cell("country")} />
              </>
            );
          }}
        </Rows>
      </FormSection>
      <FormSection title="Mail to customers without a portal">
        <PortalMails value={form.mails} onChange={(mails) => setForm({ ...form, mails })} />
      </FormSection>
      <SaveBar
        isChanged={JSON.stringify(inputOf(form)) !== JSON.stringify(inputOf(formOf(before)))}
        onDiscard={() => setForm(formOf(before))}
      >
        <Button type="submit" kind="primary" isBusy={save.isPending} denied={deniedBill}>
          Save billing profile
        </Button>
      </SaveBar>
    </Form>
  );
}
