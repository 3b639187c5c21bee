import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Checkbox, TextField } from "../../components/field.tsx";
import { ErrorNotice } from "../../components/notice.tsx";
import { toast } from "../../components/toast.tsx";
import { errorAt, fieldErrors } from "../../lib/errors.ts";
import { useSession } from "./session.tsx";

/** Where keys live unless somebody says otherwise: the name that docs and CLI use. */
export const usualBucket = "main";

export function useKeyBuckets() {
  const { api } = useSession();
  return useQuery({
    queryKey: ["key-buckets"],
    queryFn: ({ signal }) => api.buckets.list({ signal }).all(),
    staleTime: 60_000,
  });
}

export function useMeteringBuckets() {
  const { api } = useSession();
  return useQuery({
    queryKey: ["metering-buckets"],
    queryFn: ({ signal }) => api.metering.list({ signal }).all(),
    staleTime: 60_000,
  });
}

/** The bucket that the address names, else the usual one, else the first. */
export function useChosenKeyBucket(named: string | undefined) {
  const buckets = useKeyBuckets();
  const names = buckets.data?.map(({ name }) => name);
  const bucket = named ?? (names && names.length > 0 && !names.includes(usualBucket) ? names[0] : usualBucket);
  return { buckets, names, bucket: buckets.data || named ? bucket : undefined };
}

export function useChosenMeteringBucket(named: string | undefined) {
  const buckets = useMeteringBuckets();
  return { buckets, bucket: named ?? buckets.data?.[0]?.id };
}

/** Metering buckets have ids, and may have a name. */
export function labelsOf(buckets: { id: string; name?: string | null }[] | undefined): ReadonlyMap<string, string> {
  return new Map(buckets?.flatMap(({ id, name }) => (name ? [[id, name]] : [])));
}

/** Only where there is a choice. */
export function BucketSelect({
  label,
  value,
  names,
  labels,
  onChange,
  children,
}: {
  label: string;
  value: string | undefined;
  names: string[] | undefined;
  /** What people read in place of a name that is an id. */
  labels?: ReadonlyMap<string, string>;
  onChange: (name: string) => void;
  children?: ReactNode;
}) {
  if (!names || (names.length < 2 && (value === undefined || names.includes(value)))) return children ?? null;
  return (
    <>
      <select className="input" aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
        {[...new Set([...names, ...(value ? [value] : [])])].map((name) => (
          <option key={name} value={name}>
            {labels?.get(name) ?? name}
          </option>
        ))}
      </select>
      {children}
    </>
  );
}

export function NewKeyBucket({ onClose, onCreated }: { onClose: () => void; onCreated: (name: string) => void }) {
  const { api } = useSession();
  const queries = useQueryClient();
  const [form, setForm] = useState({ name: "", description: "", keyPrefix: "", isRetrievable: true });
  const create = useMutation({
    mutationFn: () =>
      api.buckets.create({
        name: form.name,
        isRetrievable: form.isRetrievable,
        ...(form.description ? { description: form.description } : {}),
        ...(form.keyPrefix ? { keyPrefix: form.keyPrefix } : {}),
      }),
    onSuccess: async ({ name }) => {
      await queries.invalidateQueries({ queryKey: ["key-buckets"] });
      toast(`Bucket ${name} created`);
      onCreated(name);
    },
  });
  const errors = fieldErrors(create.error);
  return (
    <Dialog
      title="Create key bucket"
      onClose={onClose}
      onSubmit={() => create.mutate()}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={create.isPending}>
            Create bucket
          </Button>
        </>
      }
    >
      {create.error && <ErrorNotice error={create.error} />}
      <TextField
        label="Name"
        isMono
        hint="a-z, 0-9, _ and -. One bucket for each API or environment."
        value={form.name}
        error={errorAt(errors, "/name")}
        onChange={(event) => setForm({ ...form, name: event.target.value })}
      />
      <TextField
        label="Description"
        isOptional
        value={form.description}
        error={errorAt(errors, "/description")}
        onChange={(event) => setForm({ ...form, description: event.target.value })}
      />
      <TextField
        label="Key prefix"
        isOptional
        isMono
        placeholder="tg"
        value={form.keyPrefix}
        error={errorAt(errors, "/keyPrefix")}
        onChange={(event) => setForm({ ...form, keyPrefix: event.target.value })}
      />
      <Checkbox
        label="Key values can be shown again later"
        hint="Fixed after creation. Without it a value is seen once, when the key is made."
        checked={form.isRetrievable}
        onChange={(event) => setForm({ ...form, isRetrievable: event.target.checked })}
      />
    </Dialog>
  );
}
