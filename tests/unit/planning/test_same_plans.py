"""Plans from before all mechanisms shared their worlds: what they predict of noise has stayed the same.

The numbers are those that ``plan`` gave for 10,000 records at epsilon 1 and delta 1e-6 when each mechanism drew worlds of its
own: mean and largest noise of a count, mean and largest error of a probability.
"""

import pytest
from support.structures import alarm, naive

from discreet import plan

BEFORE = {
    "alarm": {
        "laplace": (73.99774779573126, 623, 0.059855033008880155, 0.13941083196591858),
        "laplace-consistent": (40.39253801687209, 288, 0.04375971626250153, 0.09361784756667822),
        "fourier": (56.626364182692306, 328, 0.05386624714628734, 0.11523422097332682),
        "knorm": (30.724604314517993, 177, 0.035215410353138486, 0.07963730321668036),
        "gaussian": (19.96877123318549, 99, 0.028661339700597095, 0.06604052779008274),
        "sampler": (None, None, 0.1223529853275331, 0.1988747918882172),
    },
    "naive Bayes": {
        "laplace": (11.98612235544943, 73, 0.008157788022425776, 0.008654371614729726),
        "laplace-consistent": (7.940393749999989, 38, 0.007709218572806304, 0.00816107810649463),
        "fourier": (7.6458375, 35, 0.0076698062585929755, 0.008121557686256673),
        "knorm": (4.208294536484224, 16, 0.006507545581959474, 0.006840776023552213),
        "gaussian": (8.462284116929018, 32, 0.00774087922439022, 0.0081957789865181),
        "sampler": (None, None, 0.03610599200495807, 0.0376157987994786),
    },
}
EDGES = {
    "alarm": ("x12", "x33", 0.09361784756667822, 0.05336005634327689, 46),
    "naive Bayes": ("y", "x0", 0.00816107810649463, 0.003312730466205528, 5),
}


@pytest.mark.fast("naive Bayes")
@pytest.mark.parametrize(("name", "network"), [("alarm", alarm()), ("naive Bayes", naive(5))], ids=["alarm", "naive Bayes"])
def test_plans_predict_what_they_predicted_before(name, network):
    plans = plan(network, rows=10_000, epsilon="1", delta="1e-6")
    for mechanism, before in BEFORE[name].items():
        made = plans[mechanism]
        now = (made.expected_error, made.largest_error, made.parameter_error.mean, made.parameter_error.worst)
        if mechanism == "sampler":  # in fewer worlds than before, and nearer to the law between the places it is looked at
            assert now[2:] == pytest.approx(before[2:], rel=0.1)
        else:
            assert now == pytest.approx(before, rel=1e-9)
    parent, child, error, without, count = EDGES[name]
    first = plans.edges[0]
    assert (first.parent, first.child, len(plans.edges)) == (parent, child, count)
    assert (first.error, first.without) == pytest.approx((error, without), rel=1e-9)
