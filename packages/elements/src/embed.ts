/** The script for the tag: registers the elements. A script tag can use no exports, so it carries no names of them. */
import './checkout.ts';
