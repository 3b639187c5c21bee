import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Field } from "../../../components/field.tsx";

const maxBytes = 256 * 1024;

/** A logo as a data URL. */
export function ImageField({
  value,
  error,
  onChange,
}: {
  value: string | undefined;
  error: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  const [tooLarge, setTooLarge] = useState(false);
  const read = (file: File | undefined) => {
    if (!file) return;
    setTooLarge(file.size > maxBytes);
    if (file.size > maxBytes) return;
    const reader = new FileReader();
    reader.onload = () => onChange(String(reader.result));
    reader.readAsDataURL(file);
  };
  return (
    <Field
      label="Logo"
      isOptional
      hint="PNG, JPEG or WebP, at most 256 KiB."
      error={tooLarge ? "must be at most 256 KiB" : error}
    >
      {(ids) => (
        <span className="row row-wrap">
          {value && <img className="portal-logo" src={value} alt="The logo" />}
          <input
            {...ids}
            type="file"
            accept="image/png,image/jpeg,image/webp"
            onChange={(event) => read(event.target.files?.[0])}
          />
          {value && (
            <Button isSmall onClick={() => onChange(undefined)}>
              Remove
            </Button>
          )}
        </span>
      )}
    </Field>
  );
}
