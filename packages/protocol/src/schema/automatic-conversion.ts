import type { z } from 'zod';
import { timestamp } from './amount.ts';
import { automaticFunding, createAutomaticFunding, updateAutomaticFunding } from './automatic-funding.ts';
import { conversion } from './conversion.ts';

/** §2.11: `keep_amount`, `min_amount` and `max_amount` are of `from_kind`, which is what is sold. */
export const automaticConversion = automaticFunding.extend({ created_at: timestamp, created_by: conversion.shape.created_by });
export type AutomaticConversion = z.infer<typeof automaticConversion>;

/** Payload of `POST /v1/automatic-conversions/` (§4.8), without the members of every request. */
export const createAutomaticConversion = createAutomaticFunding;
export type CreateAutomaticConversion = z.input<typeof createAutomaticConversion>;

/** Payload of `PUT /v1/automatic-conversions/<ID>/`; what is left out stays. */
export const updateAutomaticConversion = updateAutomaticFunding;
export type UpdateAutomaticConversion = z.input<typeof updateAutomaticConversion>;
