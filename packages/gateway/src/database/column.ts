import type { ColumnType } from 'kysely';

/** `timestamptz`: read and written as text in the wire format, see `timestamp`. */
export type Timestamp = ColumnType<string, string, string>;
export type MaybeTimestamp = ColumnType<string | null, string | null | undefined, string | null>;
/** `numeric(60,18)`: decimal text, never a number. Values are read with all 18 places. */
export type Decimal = ColumnType<string, string, string>;
export type MaybeDecimal = ColumnType<string | null, string | null | undefined, string | null>;
export type DefaultDecimal = ColumnType<string, string | undefined, string>;
/** `jsonb`: read parsed, written as JSON text. */
export type Json<T = unknown> = ColumnType<T, string, string>;
export type MaybeJson<T = unknown> = ColumnType<T | null, string | null | undefined, string | null>;
export type Maybe<T> = ColumnType<T | null, T | null | undefined, T | null>;
export type TextArray = ColumnType<string[], string[] | undefined, string[]>;
