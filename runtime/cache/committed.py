"""Functions of the call path that every process calls before its first kernel, as the machine code of their emitters.

Emitting them in each process would take as long as making a kernel, so `stub` of `stubs` finds them here.
tests/runtime/cache/test_committed.py checks that the emitters still give exactly this code, and writes this file with
--update-golden.
"""

from __future__ import annotations

Function = tuple[str, tuple[tuple[int, str], ...], dict[str, int]]
"""The bytes in hexadecimal, the relocations, the labels."""

# fmt: off
COMMITTED: dict[tuple[str, str], Function] = {
 ('probe', 'x86'): ('f30f1efa534989d0 89f889f10fa24189 0041895804418948 084189500c5bc390 '
                    'f30f1efa31c90f01 d048c1e2204809d0 c3660f1f84000000 0000660f1f440000 '
                    'f30f1efab89e0000 000f05c3',
                    (),
                    {'cpuid': 0, 'xgetbv': 32, 'arch_prctl': 64}),
 ('flush', 'a64'): ('5f2403d529003bd5 4901e0372a4d50d3 8b0080d26a21ca9a 0c00018beb0300aa '
                    '2b7b0bd56b010a8b 7f010ceba3ffff54 9f3b03d54901e837 2a0d40d38b0080d2 '
                    '6a21ca9a0c00018b eb0300aa2b750bd5 6b010a8b7f010ceb a3ffff549f3b03d5 '
                    'df3f03d5c0035fd6',
                    (),
                    {'.L2': 32, '.L1': 48, '.L4': 76, '.L3': 92}),
 ('with_gil', 'x86'): ('f30f1efa53554154 415541564889fb48 89f54989d44989cd 48b82d4bf169d746 '
                       'b35affd04989c648 89ef4c89e64c89ea ffd34889c348b82d 4bf169d746b35aff '
                       'd04c89f748b82d4b f169d746b35affd0 4889d8415e415d41 5c5d5bc3',
                       ((26, 'PyGILState_Ensure'), (55, 'PyErr_Clear'), (70, 'PyGILState_Release')),
                       {'with_gil': 0}),
 ('with_gil', 'a64'): ('5f2403d5fd7bbfa9 fd030091f30f1ff8 f40f1ff8f50f1ff8 f60f1ff8f70f1ff8 '
                       'f30300aaf40301aa f50302aaf60303aa b06589d2303eadf2 f0dac8f27056ebf2 '
                       '00023fd6f70300aa e00314aae10315aa e20316aa60023fd6 f30300aab06589d2 '
                       '303eadf2f0dac8f2 7056ebf200023fd6 e00317aab06589d2 303eadf2f0dac8f2 '
                       '7056ebf200023fd6 e00313aaf70741f8 f60741f8f50741f8 f40741f8f30741f8 '
                       'fd7bc1a8c0035fd6',
                       ((48, 'PyGILState_Ensure'),
                        (92, 'PyErr_Clear'),
                        (116, 'PyGILState_Release')),
                       {'with_gil': 0}),
 ('unmap', 'x86'): ('f30f1efa53554883 ec084889fb31f648 b82d4bf169d746b3 5affd04889c54889 '
                    'df48b82d4bf169d7 46b35affd04889c6 4889ef48b82d4bf1 69d746b35affd048 '
                    '83c4085d5bc3',
                    ((17, 'PyCapsule_GetPointer'), (35, 'PyCapsule_GetContext'), (53, 'munmap')),
                    {'unmap': 0}),
 ('unmap', 'a64'): ('5f2403d5fd7bbfa9 fd030091f30f1ff8 f40f1ff8f30300aa 010080d2b06589d2 '
                    '303eadf2f0dac8f2 7056ebf200023fd6 f40300aae00313aa b06589d2303eadf2 '
                    'f0dac8f27056ebf2 00023fd6e10300aa e00314aab06589d2 303eadf2f0dac8f2 '
                    '7056ebf200023fd6 f40741f8f30741f8 fd7bc1a8c0035fd6',
                    ((28, 'PyCapsule_GetPointer'), (56, 'PyCapsule_GetContext'), (84, 'munmap')),
                    {'unmap': 0}),
 ('capsule', 'x86'): ('f30f1efa53554154 415541564889fb48 89f54989d448b82d 4bf169d746b35aff '
                      'd04989c54889ef31 f648ba2d4bf169d7 46b35a48b82d4bf1 69d746b35affd049 '
                      '89c64d85f60f8426 0000004c89f74c89 e648b82d4bf169d7 46b35affd04889df '
                      '31f64c89f248b82d 4bf169d746b35aff d048b82d4bf169d7 46b35affd04c89ef '
                      '48b82d4bf169d746 b35affd0415e415d 415c5d5bc3',
                      ((23, 'PyGILState_Ensure'),
                       (43, 'unmap'),
                       (53, 'PyCapsule_New'),
                       (83, 'PyCapsule_SetContext'),
                       (103, 'PyList_SetItem'),
                       (115, 'PyErr_Clear'),
                       (130, 'PyGILState_Release')),
                      {'capsule': 0, 'failed': 113}),
 ('capsule', 'a64'): ('5f2403d5fd7bbfa9 fd030091f30f1ff8 f40f1ff8f50f1ff8 f60f1ff8f70f1ff8 '
                      'f30300aaf40301aa f50302aab06589d2 303eadf2f0dac8f2 7056ebf200023fd6 '
                      'f60300aae00314aa 010080d2a26589d2 223eadf2e2dac8f2 6256ebf2b06589d2 '
                      '303eadf2f0dac8f2 7056ebf200023fd6 f70300aa170200b4 e00317aae10315aa '
                      'b06589d2303eadf2 f0dac8f27056ebf2 00023fd6e00313aa 010080d2e20317aa '
                      'b06589d2303eadf2 f0dac8f27056ebf2 00023fd6b06589d2 303eadf2f0dac8f2 '
                      '7056ebf200023fd6 e00316aab06589d2 303eadf2f0dac8f2 7056ebf200023fd6 '
                      'f70741f8f60741f8 f50741f8f40741f8 f30741f8fd7bc1a8 c0035fd6',
                      ((44, 'PyGILState_Ensure'),
                       (76, 'unmap'),
                       (92, 'PyCapsule_New'),
                       (128, 'PyCapsule_SetContext'),
                       (160, 'PyList_SetItem'),
                       (180, 'PyErr_Clear'),
                       (204, 'PyGILState_Release')),
                      {'capsule': 0, 'failed': 180})}
