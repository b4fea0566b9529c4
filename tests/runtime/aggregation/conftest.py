"""Spread all regions of these tests over threads, so that threads compute small graphs too."""

from tests.runtime.images.conftest import nothing_is_light as nothing_is_light
